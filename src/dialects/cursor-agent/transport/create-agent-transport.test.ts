import { describe, expect, it } from 'vitest';
import {
  aRun,
  NEVER,
  openTransport,
  playRun,
  startPair,
} from '../../../../test/support/agent-backend/backend-pair.ts';
import {
  type AgentBackendOptions,
  clientMessage,
  json,
  ManualTimers,
  plainChat,
  runRequest,
} from '../../../../test/support/agent-backend/index.ts';
import { Http2Config } from '../../../gen/aiserver/v1/server_config_pb.ts';

async function transportsUsed(options: Partial<AgentBackendOptions>, runs = 1) {
  const pair = await startPair(options, { mode: 'auto' });
  for (let index = 0; index < runs; index++) await playRun(pair, { requestId: `run-${index}` });
  return pair.backend.runs.map((run) => run.options.transport);
}

describe('the choice of the transport', () => {
  it('is HTTP/2 from the first byte for a plain http URL', async () => {
    expect(await transportsUsed({})).toEqual(['Run']);
  });

  it.each([
    [Http2Config.UNSPECIFIED, 'Run'],
    [Http2Config.FORCE_ALL_DISABLED, 'RunSSE'],
    [Http2Config.FORCE_ALL_ENABLED, 'Run'],
    [Http2Config.FORCE_BIDI_DISABLED, 'RunSSE'],
    [Http2Config.FORCE_BIDI_ENABLED, 'Run'],
  ])('follows http2_config %i to %s', async (http2Config, transport) => {
    expect(await transportsUsed({ http2Config })).toEqual([transport]);
  });

  it('does not need a server configuration', async () => {
    const intercept = ({ path }: { path: string }) =>
      path.endsWith('GetServerConfig') ? json(500, {}) : undefined;
    expect(await transportsUsed({ intercept })).toEqual(['Run']);
  });

  it('asks for the configuration once, however many runs begin', async () => {
    const pair = await startPair({});
    await Promise.all([1, 2, 3].map((number) => playRun(pair, { requestId: `run-${number}` })));
    expect(pair.backend.calls.filter(({ path }) => path.endsWith('GetServerConfig'))).toHaveLength(1);
    expect(pair.backend.runs).toHaveLength(3);
  });

  it('asks again when the configuration is old', async () => {
    const timers = new ManualTimers();
    const pair = await startPair({}, { timers });
    await playRun(pair);
    timers.advance(11 * 60_000);
    await playRun(pair);
    expect(pair.backend.calls.filter(({ path }) => path.endsWith('GetServerConfig'))).toHaveLength(2);
  });

  it('falls back to HTTP/1.1 where HTTP/2 is not spoken', async () => {
    expect(await transportsUsed({ protocols: 'http1' }, 2)).toEqual(['RunSSE', 'RunSSE']);
  });

  it('says so where only HTTP/2 was asked for', async () => {
    const pair = await startPair({ protocols: 'http1' }, { mode: 'http2' });
    await expect(playRun(pair)).rejects.toMatchObject({
      code: 'upstream-unavailable',
      message: expect.stringContaining('does not speak HTTP/2'),
      detail: { reason: 'http2_unavailable' },
    });
  });

  it('does not fall back when nobody is there at all', async () => {
    const transport = openTransport({ baseUrl: 'http://127.0.0.1:1' });
    await expect(transport.openRun(aRun())).rejects.toMatchObject({ message: /refused the connection/ });
  });

  it('uses HTTP/1.1 for the next run when the way there refuses open bodies', async () => {
    const page = { status: 464, headers: {}, body: '' };
    const intercept = ({ path }: { path: string }) => (path.endsWith('/Run') ? page : undefined);
    const pair = await startPair({ intercept });
    await expect(playRun(pair)).rejects.toMatchObject({ code: 'upstream-unavailable', retryable: true });
    expect((await playRun(pair)).text).toBe('Hello, world.');
    expect(pair.backend.runs.map((run) => run.options.transport)).toEqual(['RunSSE']);
  });

  it('sends runs to the agent host of the configuration, by privacy mode', async () => {
    const agents = await Promise.all(
      ['Private', 'Shared'].map((text) => startPair({ script: plainChat({ text: [text] }) })),
    );
    const [agentUrl = '', agentnUrl = ''] = agents.map(({ backend }) => backend.url);
    const pair = await startPair({ agentUrls: { agentUrl, agentnUrl } });
    expect((await playRun(pair)).text).toBe('Private');
    expect((await playRun(pair, { headers: { 'x-ghost-mode': 'true' } })).text).toBe('Private');
    expect((await playRun(pair, { headers: { 'X-Ghost-Mode': 'false' } })).text).toBe('Shared');
    expect(pair.backend.runs).toEqual([]);
  });

  it.each(['http://other.example', 'https://evil.example', 'https://cursor.sh.example', 'nonsense'])(
    'does not carry the token to %s because a configuration says so',
    async (url) => {
      const pair = await startPair({ agentUrls: { agentUrl: url, agentnUrl: url } });
      expect((await playRun(pair)).text).toBe('Hello, world.');
    },
  );

  it('refuses addresses that are none, by name', () => {
    expect(() => openTransport({ baseUrl: 'api2.cursor.sh' })).toThrow(/Upstream test: baseUrl must be/);
    expect(() => openTransport({ agentUrl: 'ftp://x' })).toThrow(/agentUrl must be an http/);
  });
});

describe('the RunSSE transport', () => {
  it.each(['text/event-stream', 'application/connect+proto'])('accepts %s', async (sseContentType) => {
    const client = await playRun(await startPair({ sseContentType }, { mode: 'http1' }));
    expect(client.text).toBe('Hello, world.');
  });

  it('does not wait for its stream before it appends', async () => {
    // The first append is answered before RunSSE is.
    let appended = () => {};
    const first = new Promise<void>((resolve) => {
      appended = resolve;
    });
    const pair = await startPair(
      {
        script: async (run) => {
          await first;
          await run.text('late');
          await run.turnEnded();
          await run.end();
        },
        intercept: ({ path }) => {
          if (path.endsWith('BidiAppend')) appended();
          return undefined;
        },
      },
      { mode: 'http1' },
    );
    expect((await playRun(pair)).text).toBe('late');
  });

  it('dies with an append that is refused, and does not repeat it', async () => {
    let appends = 0;
    const intercept = ({ path }: { path: string }) => {
      if (!path.endsWith('BidiAppend')) return undefined;
      return ++appends === 2 ? json(500, { code: 'internal', message: 'lost' }) : undefined;
    };
    const pair = await startPair({ intercept }, { mode: 'http1' });
    await expect(playRun(pair)).rejects.toMatchObject({
      code: 'upstream-unavailable',
      message: expect.stringContaining('lost'),
    });
    expect(pair.backend.arrivals('run-1')).not.toContain(1);
  });

  it('keeps messages in order although they overtake each other', async () => {
    // Append n waits for append n + 1, so they arrive in reverse within each wave.
    const arrived = new Map<number, () => void>();
    const waits = new Map(
      Array.from({ length: 8 }, (_, index) => [
        index,
        new Promise<void>((resolve) => {
          arrived.set(index, resolve);
        }),
      ]),
    );
    const pair = await startPair(
      {
        script: async (run) => {
          await run.inbox.take(({ message }) => message.case === 'kvClientMessage' && message.value.id === 7);
          await run.end();
        },
        holdAppend: async (seqno) => {
          if (seqno < 7) await waits.get(seqno + 1);
          arrived.get(seqno)?.();
        },
      },
      { mode: 'http1' },
    );
    const connection = await pair.transport.openRun(aRun());
    const sends = Array.from({ length: 8 }, (_, id) =>
      connection.send(clientMessage({ case: 'kvClientMessage', value: { id } })),
    );
    for await (const _ of connection.messages);
    await Promise.all(sends);
    expect(pair.backend.arrivals('run-1')).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
    const ids = pair.backend.runs[0]?.received.map(({ message }) =>
      message.case === 'kvClientMessage' ? message.value.id : -1,
    );
    expect(ids).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

describe('closing the transport', () => {
  it('ends open runs and refuses new ones', async () => {
    const { backend, transport } = await startPair({ script: (run) => run.untilClosed() });
    const connection = await transport.openRun(aRun());
    await connection.send(runRequest());
    const reading = connection.messages[Symbol.asyncIterator]().next();
    const outcome = expect(reading).rejects.toMatchObject({ name: 'GatewayError' });
    await (await backend.run(0)).inbox.whenBegun();
    await transport.close();
    await outcome;
    await expect(transport.openRun(aRun())).rejects.toMatchObject({ name: 'GatewayError' });
    await expect(
      transport.callUnary('/x', new Uint8Array(), { signal: NEVER, headers: {} }),
    ).rejects.toThrow();
  });
});
