// A stateless client on an agent.v1 backend: tool calls that work. The backend is simulated, on real sockets.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { bash, call, chat, type Message, results, user } from '../support/agent-backend/chat-client.ts';
import {
  type AgentBackend,
  type AgentBackendOptions,
  type AgentScript,
  execChat,
  finishTurn,
  issueCalls,
  kvStorm,
  plainChat,
  playInterleaving,
  settleCalls,
  startAgentBackend,
  toolChat,
} from '../support/agent-backend/index.ts';
import { readBody } from '../support/bodies.ts';
import { startProgram } from '../support/program.ts';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

const open: { backend?: AgentBackend; gateway?: TestGateway } = {};
afterEach(async () => {
  await open.gateway?.stop();
  await open.backend?.stop();
});

async function connect(options: AgentBackendOptions, capabilities: string[] = []): Promise<TestGateway> {
  open.backend = await startAgentBackend(options);
  open.gateway = await startTestGateway({
    upstreams: {
      cursor: {
        kind: 'cursor-agent',
        baseUrl: open.backend.url,
        accessToken: 'a-token',
        models: ['gpt-4o'],
        capabilities,
        retries: 0,
      },
    },
  });
  return open.gateway;
}

describe.each([
  ['HTTP/2', ['http2'], 'Run'],
  ['the HTTP/1.1 pair', ['http1'], 'RunSSE'],
] as const)('over %s', (_name, capabilities, transport) => {
  it('streams plain chat', async () => {
    const gateway = await connect({ script: plainChat({ text: ['Hello', ', world.'] }) }, [...capabilities]);
    const message = await chat(gateway, [{ role: 'user', content: 'Say hello' }], true);
    expect(message.content).toBe('Hello, world.');
    expect(open.backend?.runs[0]?.options.transport).toBe(transport);
  });

  it.each([true, false])('runs a tool turn on one backend stream (stream: %s)', async (stream) => {
    const gateway = await connect({ script: toolChat([[call('call_1', 'echo hello')]]) }, [...capabilities]);
    const first = await chat(gateway, [user], stream);
    expect(first.tool_calls).toMatchObject([{ id: 'call_1', function: { name: 'bash' } }]);
    expect(JSON.parse(first.tool_calls?.[0]?.function.arguments ?? '')).toEqual({ command: 'echo hello' });
    const last = await chat(gateway, [user, first, ...results(first)], stream);
    expect(last.content).toBe('Results: result of call_1');
    expect(open.backend?.runs).toHaveLength(1);
    expect(open.backend?.errors).toEqual([]);
  });
});

describe('parallel calls', () => {
  it.each([2, 5])('%i of them come together, and their results in any order', async (count) => {
    const calls = Array.from({ length: count }, (_, index) => call(`call_${index}`, `echo ${index}`));
    const gateway = await connect({ script: toolChat([calls]) });
    const first = await chat(gateway, [user], true);
    expect(first.tool_calls?.map(({ id }) => id)).toEqual(calls.map(({ callId }) => callId));
    const reversed = results(first).reverse();
    const last = await chat(gateway, [user, first, ...reversed], true);
    expect(last.content).toBe(`Results: ${calls.map(({ callId }) => `result of ${callId}`).join(' | ')}`);
    expect(open.backend?.runs).toHaveLength(1);
  });

  it('may be answered over two requests, and twice, and only the first time counts', async () => {
    const gateway = await connect({ script: toolChat([[call('call_a', 'a'), call('call_b', 'b')]]) });
    const first = await chat(gateway, [user], false);
    const partial = await chat(gateway, [user, first, ...results(first, ['call_a'])], false);
    expect(partial.tool_calls?.map(({ id }) => id)).toEqual(['call_b']);
    const last = await chat(gateway, [user, first, ...results(first)], false);
    expect(last.content).toBe('Results: result of call_a | result of call_b');
    expect(await chat(gateway, [user, first, ...results(first)], false)).toEqual(last); // a retry
    expect(open.backend?.runs).toHaveLength(1);
  });
});

describe('a server that runs the calls of one answer one after the other', () => {
  const [first, second] = [call('call_a', 'a'), call('call_b', 'b')];
  const inTurn: AgentScript = async (run) => {
    const outcome = await playInterleaving(run, [
      { type: 'started', call: first },
      { type: 'partial', call: second, text: JSON.stringify(second.args) },
      { type: 'checkpoint', pending: [first, second] },
      { type: 'exec', call: first },
      { type: 'await', calls: [first] },
      { type: 'exec', call: second },
      { type: 'await', calls: [second] },
    ]);
    await run.text([...outcome.values()].join(' | '));
    await finishTurn(run);
  };

  it.each([true, false])('has its client run each in its turn (stream: %s)', async (stream) => {
    const gateway = await connect({ script: inTurn });
    const messages: object[] = [user];
    for (const { callId } of [first, second]) {
      const message = await chat(gateway, messages, stream);
      expect(message.tool_calls?.map(({ id }) => id)).toEqual([callId]);
      messages.push(message, ...results(message));
    }
    const last = await chat(gateway, messages, stream);
    expect(last.content).toBe('result of call_a | result of call_b');
    expect(open.backend?.runs).toHaveLength(1);
  });
});

describe('the counts of a turn with several answers', () => {
  it('add up to what the backend counted, each marked as an estimate', async () => {
    const gateway = await connect({ script: toolChat([[call('call_1', 'ls')], [call('call_2', 'ls -a')]]) });
    const messages: object[] = [user];
    const usages: { total_tokens: number; estimated?: boolean }[] = [];
    while (usages.length < 3) {
      const body = { model: 'gpt-4o', messages, tools: [bash] };
      const answer = await readBody<{ choices: { message: Message }[]; usage: (typeof usages)[number] }>(
        gateway.post('/v1/chat/completions', body),
      );
      usages.push(answer.usage);
      const message = answer.choices[0]?.message;
      if (message) messages.push(message, ...results(message));
    }
    expect(usages.map(({ estimated }) => estimated)).toEqual([true, true, true]);
    const sum = usages.reduce((total, usage) => total + usage.total_tokens, 0);
    expect(sum).toBe(812 + 512 + 64); // what `finishTurn` says: input, cache reads, output
  });
});

describe('a client that loses its connection', () => {
  it('in the middle of an answer gets the whole of it when it asks again, and no tool runs twice', async () => {
    let goOn: () => void = () => {};
    const script = toolChat([[call('call_1', 'ls')]], () => 'All done.');
    const gateway = await connect({
      script: async (run) => {
        if (run.isResumed) return script(run);
        const calls = [call('call_1', 'ls')];
        await run.requestContext();
        const execs = await issueCalls(run, calls);
        await settleCalls(run, calls, execs);
        await run.text('Half an ans');
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
      },
    });
    const first = await chat(gateway, [user], true);
    const followUp = [user, first, ...results(first)];
    const client = new AbortController();
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'gpt-4o', messages: followUp, stream: true, tools: [bash] }),
      signal: client.signal,
    });
    await answer.body?.getReader().read();
    client.abort();
    await open.backend?.runs[0]?.closed; // the backend hears of it
    goOn();
    const again = await chat(gateway, followUp, true);
    expect(again.content).toBe('All done.');
    expect(again.tool_calls).toBeUndefined();
    expect(open.backend?.runs).toHaveLength(2);
  });
});

describe('other dialects', () => {
  it('Responses goes on with the same stream', async () => {
    const gateway = await connect({ script: toolChat([[call('call_1', 'ls')]]) });
    const tools = [{ type: 'function', name: 'bash', parameters: bash.function.parameters }];
    const first = await readBody<{ id: string; output: { type: string; call_id: string }[] }>(
      gateway.post('/v1/responses', { model: 'gpt-4o', input: 'run ls', tools }),
    );
    const made = first.output.find(({ type }) => type === 'function_call');
    const input = [{ type: 'function_call_output', call_id: made?.call_id, output: 'one.txt' }];
    const second = await gateway.post('/v1/responses', {
      model: 'gpt-4o',
      previous_response_id: first.id,
      input,
      tools,
    });
    expect(await second.text()).toContain('Results: one.txt');
    expect(open.backend?.runs).toHaveLength(1);
  });

  it('Messages goes on with the same stream, with words beside the result', async () => {
    const gateway = await connect({ script: toolChat([[call('call_1', 'ls')]]) });
    const tools = [{ name: 'bash', input_schema: bash.function.parameters }];
    const body = { model: 'gpt-4o', max_tokens: 500, tools };
    const first = await readBody<{ content: { type: string; id: string }[] }>(
      gateway.post('/v1/messages', { ...body, messages: [{ role: 'user', content: 'run ls' }] }),
    );
    const use = first.content.find(({ type }) => type === 'tool_use');
    const second = await gateway.post('/v1/messages', {
      ...body,
      messages: [
        { role: 'user', content: 'run ls' },
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: use?.id, content: 'one.txt' },
            { type: 'text', text: '<system-reminder>be brief</system-reminder>' },
          ],
        },
      ],
    });
    const text = await second.text();
    expect(text).toContain('Results: one.txt');
    expect(text).toContain('be brief');
    expect(open.backend?.runs).toHaveLength(1);
  });
});

describe('everything is answered', () => {
  it('a storm of blobs', async () => {
    const gateway = await connect({ script: kvStorm(300) });
    expect((await chat(gateway, [user], true)).content).toBe('300 blobs');
  });

  it('a built-in the caller has no tool for, with the names of the tools it has', async () => {
    const script = execChat([{ case: 'readArgs', value: { path: '/etc/hostname' } }]);
    const gateway = await connect({ script });
    expect((await chat(gateway, [user], true)).content).toMatch(
      /^readResult (error|rejected|permissionDenied)/,
    );
    expect(
      JSON.stringify(open.backend?.runs[0]?.received, (_key, value) =>
        typeof value === 'bigint' ? String(value) : value,
      ),
    ).toContain('bash');
  });
});

const CONVERSATIONS = {
  'plain chat': { script: plainChat({ thinking: ['Hm.'] }), answer: 'Hello, world.' },
  'one call': { script: toolChat([[call('call_1', 'ls')]], () => 'All done.'), answer: 'All done.' },
  'two rounds, the first in parallel': {
    script: toolChat([[call('a', '1'), call('b', '2')], [call('c', '3')]], () => 'All done.'),
    answer: 'All done.',
  },
} as const;

/** Goes on until the model stops asking for tools; `run` lists what it had run. */
async function converse(gateway: TestGateway, run: string[]): Promise<string | null> {
  const messages: object[] = [user];
  for (;;) {
    const message = await chat(gateway, messages, true);
    if (!message.tool_calls) return message.content;
    run.push(...message.tool_calls.map((made) => made.function.arguments));
    messages.push(message, ...results(message));
  }
}

describe.each(['http2', 'http1'])(
  'no false success over %s, however early the stream is cut',
  (transport) => {
    it.each(Object.entries(CONVERSATIONS))('%s', async (_name, { script, answer }) => {
      expect(await converse(await connect({ script }, [transport]), [])).toBe(answer);
      const frames = open.backend?.runs[0]?.sent.length ?? 0;
      expect(frames).toBeGreaterThan(5);
      let errors = 0;
      for (let cut = 0; cut <= frames; cut++) {
        await open.gateway?.stop();
        await open.backend?.stop();
        const gateway = await connect({ script, cutAfterFrame: (run) => (run === 0 ? cut : undefined) }, [
          transport,
        ]);
        const run: string[] = [];
        const outcome = await converse(gateway, run).then(
          (content) => ({ content }),
          (error: Error) => ({ error: error.message }),
        );
        expect(new Set(run).size, `cut after ${cut} frames, ran ${run.join(', ')}`).toBe(run.length); // nothing twice
        if ('error' in outcome) {
          errors++;
          expect(outcome.error, `cut after ${cut} frames`).toMatch(/\S/);
        } else expect(outcome.content, `cut after ${cut} frames`).toBe(answer);
      }
      expect(errors).toBeLessThanOrEqual(frames); // at least the uncut ending completed
    });
  },
);

describe('a gateway that is killed between call and result', () => {
  it('goes on after its restart; the backend sees the turn taken up, and nothing runs twice', async () => {
    const backend = await startAgentBackend({ script: toolChat([[call('call_1', 'ls')]]) });
    open.backend = backend;
    const home = await mkdtemp(join(tmpdir(), 'crosspoint-killed-'));
    await writeFile(
      join(home, 'crosspoint.json'),
      JSON.stringify({
        server: { port: 0 },
        upstreams: {
          cursor: { kind: 'cursor-agent', baseUrl: backend.url, accessToken: 'a-token', models: ['gpt-4o'] },
        },
      }),
    );
    const config = ['serve', '--config', join(home, 'crosspoint.json')];
    const ask = async (url: string, messages: readonly object[]) => {
      const body = JSON.stringify({ model: 'gpt-4o', messages, tools: [bash] });
      const answer = await readBody<{ choices: { message: Message }[] }>(
        fetch(`${url}/v1/chat/completions`, { method: 'POST', body }),
      );
      return answer.choices[0]?.message;
    };
    const before = await startProgram(config, { home });
    const first = await ask(before.url, [user]);
    expect(first?.tool_calls?.[0]?.id).toBe('call_1');
    const killed = new Promise((resolve) => before.child.on('exit', resolve));
    before.child.kill('SIGKILL');
    await killed;

    const after = await startProgram(config, { home });
    try {
      const last = await ask(after.url, [user, first ?? {}, ...(first ? results(first) : [])]);
      expect(last?.content).toBe('Results: result of call_1');
    } finally {
      await after.stop();
      await rm(home, { recursive: true, force: true });
    }
    expect(backend.runs.map((run) => run.isResumed)).toEqual([false, true]);
    expect(backend.runs[0]?.request.conversationId).toBe(backend.runs[1]?.request.conversationId);
  });
});
