import { create, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import {
  aRun,
  MODES,
  openTransport,
  playRun,
  startPair,
} from '../../../../test/support/agent-backend/backend-pair.ts';
import {
  execChat,
  finishTurn,
  issueCalls,
  json,
  kvStorm,
  plainChat,
  runRequest,
  SampleClient,
  silent,
  toolChat,
} from '../../../../test/support/agent-backend/index.ts';
import { ErrorDetails_Error, ErrorDetailsSchema } from '../../../gen/aiserver/v1/error_details_pb.ts';

const CALLS = ['alpha', 'beta', 'alpha', 'beta', 'alpha'].map((name, index) => ({
  callId: `call-${index}`,
  name,
  args: { number: index, nested: { list: [1, 'two', null] } },
}));

describe.each(MODES)('a run over %s', (mode) => {
  it('carries a whole turn, with blobs, context and thinking', async () => {
    const pair = await startPair({ script: plainChat({ thinking: ['Hm.'] }) }, { mode });
    const client = await playRun(pair);
    expect(client.text).toBe('Hello, world.');
    expect(client.hasTurnEnded).toBe(true);
    expect(pair.backend.errors).toEqual([]);
    const [run] = pair.backend.runs;
    expect(run?.options.transport).toBe(mode === 'http2' ? 'Run' : 'RunSSE');
    expect(run?.received.map(({ message }) => message.case)).toEqual([
      'runRequest',
      'execClientMessage',
      'execClientControlMessage',
      'kvClientMessage',
    ]);
  });

  it('sends the headers of the run, those of the upstream and the two request ids', async () => {
    const pair = await startPair({}, { mode, headers: { 'X-Team': 't', 'x-ghost-mode': 'true' } });
    await playRun(pair, {
      requestId: 'try-2',
      originalRequestId: 'try-1',
      headers: { Authorization: 'Bearer tok', 'x-ghost-mode': 'false' },
    });
    const run = pair.backend.runs[0];
    expect(run?.options.headers).toMatchObject({
      authorization: 'Bearer tok',
      'x-team': 't',
      'x-ghost-mode': 'false',
      'x-request-id': 'try-2',
      'x-original-request-id': 'try-1',
      'content-type': 'application/connect+proto',
      'connect-protocol-version': '1',
    });
    expect(run?.options.headers['x-cursor-streaming']).toBe(mode === 'http1' ? 'true' : undefined);
  });

  it.each([1, 2, 5])('carries %i tool calls at once and their results', async (count) => {
    const calls = CALLS.slice(0, count);
    const client = await playRun(await startPair({ script: toolChat([calls, calls]) }, { mode }));
    const once = calls.map(({ name }) => `${name} done`);
    expect(client.text).toBe(`Results: ${[...once, ...once].join(' | ')}`);
  });

  it('takes a run up again from a checkpoint with open calls', async () => {
    const pair = await startPair({ script: toolChat([CALLS.slice(0, 2)]) }, { mode });
    const pendingToolCalls = [
      JSON.stringify({
        id: '1',
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'call-0', toolName: 'alpha', args: { number: 0 } }],
      }),
    ];
    const client = new SampleClient(await pair.transport.openRun(aRun()));
    await client.play(
      runRequest('', {
        conversationState: { mode: 1, pendingToolCalls },
        action: { action: { case: 'resumeAction', value: {} } },
      }),
    );
    expect(client.text).toBe('Results: alpha done');
    expect(pair.backend.errors).toEqual([]);
  });

  it('survives a storm of blobs', async () => {
    const client = await playRun(await startPair({ script: kvStorm(200) }, { mode }));
    expect(client.text).toBe('200 blobs');
  });

  it('reads compressed frames', async () => {
    const client = await playRun(await startPair({ isGzip: true }, { mode }));
    expect(client.text).toBe('Hello, world.');
  });

  it('carries frames of several megabytes in both directions', async () => {
    const large = new Uint8Array(3 * 1024 * 1024).fill(7);
    const pair = await startPair(
      {
        script: async (run) => {
          const id = await run.setBlob(large);
          await run.text(`${(await run.getBlob(id))?.length}`);
          await finishTurn(run);
        },
      },
      { mode },
    );
    expect((await playRun(pair)).text).toBe(`${large.length}`);
  });

  it('hands duplicated frames on as they come', async () => {
    const script = async (run: Parameters<typeof finishTurn>[0]) => {
      await run.text('one');
      await finishTurn(run);
    };
    const client = await playRun(await startPair({ script, isDuplicating: true }, { mode }));
    expect(client.text).toBe('oneone');
  });

  it('carries an exec that nobody knows, and its refusal', async () => {
    let refusal = '';
    const pair = await startPair(
      {
        script: async (run) => {
          const answer = await (await run.unknownExec(99)).outcome();
          refusal = 'case' in answer ? answer.value.error : '';
          await finishTurn(run);
        },
      },
      { mode },
    );
    await playRun(pair);
    expect(refusal).toBe('No exec of this kind.');
  });

  it('carries built-in execs of every kind, and a query', async () => {
    const script = execChat([
      { case: 'readArgs', value: { path: 'a.txt' } },
      { case: 'writeArgs', value: { path: 'a.txt', fileText: 'x' } },
      { case: 'shellStreamArgs', value: { command: 'ls', parsingResult: {} } },
      { case: 'grepArgs', value: { pattern: 'x' } },
      { case: 'lsArgs', value: { path: '.' } },
      { case: 'deleteArgs', value: { path: 'a.txt' } },
      { case: 'diagnosticsArgs', value: { path: 'a.txt' } },
    ]);
    const pair = await startPair(
      {
        script: async (run) => {
          const { id } = await run.query({ case: 'webSearchRequestQuery', value: {} });
          await run.text(`query ${id}; `);
          await script(run);
        },
      },
      { mode },
    );
    const names = ['read', 'write', 'shellStream', 'grep', 'ls', 'delete', 'diagnostics'];
    const refusals = names.map((name) => `throw: No exec ${name}Args.`).join(', ');
    expect((await playRun(pair)).text).toBe(`query 1; ${refusals}`);
    expect(pair.backend.errors).toEqual([]);
  });

  it('ends well without turn_ended, which is for the reader to judge', async () => {
    const pair = await startPair({ script: plainChat({ hasTurnEnd: false }) }, { mode });
    expect((await playRun(pair)).hasTurnEnded).toBe(false);
  });

  it('throws the error of the end-of-stream frame, in the words of the backend', async () => {
    const value = toBinary(
      ErrorDetailsSchema,
      create(ErrorDetailsSchema, {
        error: ErrorDetails_Error.PRO_USER_USAGE_LIMIT,
        details: { title: 'Limit reached.', detail: 'Your plan renews on Monday.', isRetryable: false },
      }),
    );
    const pair = await startPair(
      {
        script: async (run) => {
          await run.text('Well');
          await run.end({
            code: 'resource_exhausted',
            message: 'Error',
            details: [{ type: 'aiserver.v1.ErrorDetails', value }],
          });
        },
      },
      { mode },
    );
    const client = new SampleClient(await pair.transport.openRun(aRun()));
    await expect(client.play()).rejects.toMatchObject({
      code: 'quota-exceeded',
      retryable: false,
      message: expect.stringContaining('Limit reached. Your plan renews on Monday.'),
    });
    expect(client.text).toBe('Well');
  });

  it.each([
    [401, { code: 'unauthenticated', message: 'Token expired' }, 'unauthenticated'],
    [429, { code: 'resource_exhausted', message: 'Slow down' }, 'rate-limited'],
    [503, 'busy', 'upstream-unavailable'],
  ])('throws an answer of status %i as an error', async (status, body, code) => {
    const intercept = ({ path }: { path: string }) => (/\/Run/.test(path) ? json(status, body) : undefined);
    await expect(playRun(await startPair({ intercept }, { mode }))).rejects.toMatchObject({
      code,
      detail: { upstreamStatus: status },
    });
  });

  it('does not take a web page for a run', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Log in</html>' };
    const intercept = ({ path }: { path: string }) => (/\/Run/.test(path) ? page : undefined);
    await expect(playRun(await startPair({ intercept }, { mode }))).rejects.toMatchObject({
      code: 'upstream-malformed',
      message: expect.stringContaining('text/html'),
    });
  });

  it('refuses a frame that announces more than it may hold', async () => {
    const body = Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3]);
    const frame = { status: 200, headers: { 'content-type': 'application/connect+proto' }, body };
    const intercept = ({ path }: { path: string }) => (/\/Run/.test(path) ? frame : undefined);
    await expect(playRun(await startPair({ intercept }, { mode }))).rejects.toMatchObject({
      code: 'upstream-malformed',
    });
  });

  it('says that nobody is there', async () => {
    const transport = openTransport({ mode, baseUrl: 'http://127.0.0.1:1' });
    const play = async () => new SampleClient(await transport.openRun(aRun())).play();
    await expect(play()).rejects.toMatchObject({
      code: 'upstream-unavailable',
      message: expect.stringMatching(/refused the connection/),
    });
  });

  // Measured in real time, so a busy machine gets a second chance.
  it('tells the server of a cancelled turn, at once', { retry: 2 }, async () => {
    const { backend, transport } = await startPair({ script: silent }, { mode });
    const controller = new AbortController();
    const playing = new SampleClient(await transport.openRun(aRun({ signal: controller.signal }))).play();
    const run = await backend.run(0);
    await run.inbox.whenBegun();
    const startedMs = performance.now();
    controller.abort();
    await Promise.all([run.closed, expect(playing).rejects.toMatchObject({ code: 'cancelled' })]);
    expect(performance.now() - startedMs).toBeLessThan(100);
  });

  it('tells the server when the reader leaves or closes, and sends nothing afterwards', async () => {
    const script = async (run: Parameters<typeof finishTurn>[0]) => {
      await run.text('one');
      await run.untilClosed();
    };
    const { backend, transport } = await startPair({ script }, { mode });
    const left = await transport.openRun(aRun({ requestId: 'left' }));
    await left.send(runRequest());
    for await (const _ of left.messages) break;
    await (await backend.run(0)).closed;
    await expect(left.send(runRequest())).rejects.toMatchObject({ code: 'cancelled' });

    const closed = await transport.openRun(aRun({ requestId: 'closed' }));
    await closed.send(runRequest());
    await (await backend.run(1)).inbox.whenBegun();
    closed.close();
    closed.close();
    await (await backend.run(1)).closed;
    await expect(closed.messages[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('does not open a run for a turn that is cancelled already', async () => {
    const { backend, transport } = await startPair({}, { mode });
    await expect(transport.openRun(aRun({ signal: AbortSignal.abort() }))).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(backend.calls).toEqual([]);
  });
});

describe.each(MODES)('a cut over %s', (mode) => {
  const script = async (run: Parameters<typeof finishTurn>[0]) => {
    await run.requestContext();
    await run.text('one', 'two');
    const [exec] = await issueCalls(run, CALLS.slice(0, 1));
    await exec?.next();
    await finishTurn(run);
  };
  // context, two texts, partial, started, exec, checkpoint, checkpoint, turn_ended
  const FRAMES = 9;

  it.each(['stream', 'connection', 'quietly'] as const)(
    'is an error after every single frame (%s)',
    async (cutKind) => {
      for (let cutAfterFrame = 0; cutAfterFrame <= FRAMES; cutAfterFrame++) {
        const { transport } = await startPair({ script, cutAfterFrame, cutKind }, { mode });
        const client = new SampleClient(await transport.openRun(aRun()));
        await expect(client.play(), `after frame ${cutAfterFrame}`).rejects.toMatchObject({
          name: 'GatewayError',
          code: 'upstream-unavailable',
          retryable: true,
        });
        expect(client.heard.length).toBeLessThanOrEqual(cutAfterFrame);
      }
    },
  );

  it('is no error after the end-of-stream frame', async () => {
    const client = await playRun(await startPair({ script, cutAfterFrame: FRAMES + 1 }, { mode }));
    expect(client.text).toBe('onetwo');
  });
});
