import { describe, expect, it } from 'vitest';
import type { UpstreamKind } from '../../dialects/dialect.ts';
import { createFronts, UPSTREAM_KINDS } from '../../dialects/index.ts';
import { openaiChatFront } from '../../dialects/openai-chat/index.ts';
import { startGateway } from '../../server/start-gateway.ts';
import type { StartedGateway } from '../context.ts';
import { DEMO_CLIENTS } from '../demo/index.ts';
import { createTestCli } from '../fixtures/test-context.ts';

/** A gateway that is not there; the answers come from a fake fetch. */
const nowhere: StartedGateway = {
  url: 'http://127.0.0.1:9',
  port: 9,
  models: async () => [],
  close: async () => {},
  closed: Promise.resolve(),
};

const FRONTS = createFronts();

/** A kind that the demo has no server for. */
const telepathy: UpstreamKind = {
  kind: 'telepathy',
  create: () => {
    throw new Error('must not be made');
  },
};

describe('demo', () => {
  it('holds a whole tool turn on every front against a real gateway', async () => {
    const { code, output } = await createTestCli({ startGateway, fetch }).run('demo');
    expect(output).toContain('calls read_file {"path":"greeting.txt"}');
    for (const { name } of DEMO_CLIENTS) {
      expect(output).toContain(`✓ ${name}, in one piece`);
      expect(output).toContain(`✓ ${name}, streamed`);
    }
    expect(output).toContain('Everything was as expected.');
    expect(code).toBe(0);
  });

  it('has a client for every front that is served', () => {
    const shown = DEMO_CLIENTS.map(({ front }) => front);
    expect(FRONTS.map(({ dialect }) => dialect).filter((dialect) => !shown.includes(dialect))).toEqual([]);
  });

  it('prints JSON', async () => {
    const { code, output } = await createTestCli({ startGateway, fetch }).run('demo', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({
      ok: true,
      turns: DEMO_CLIENTS.flatMap(({ front }) => [
        { front, stream: false, ok: true },
        { front, stream: true, ok: true },
      ]),
    });
  });

  it.each([
    ['an error', () => new Response('{"error":{"message":"boom"}}', { status: 500 }), 'status 500'],
    [
      'an answer without a call',
      () => Response.json({ choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] }),
      'Expected one tool call, not 0.',
    ],
    [
      'a path outside of the workspace',
      () =>
        Response.json({
          choices: [
            {
              finish_reason: 'tool_calls',
              message: {
                tool_calls: [{ id: 'c', function: { name: 'read_file', arguments: '{"path":"../x"}' } }],
              },
            },
          ],
        }),
      'Expected a path in the workspace, not ../x.',
    ],
  ])('fails on %s', async (_, answer, problem) => {
    const cli = createTestCli({ startGateway: async () => nowhere, fetch: async () => answer() });
    const { code, output } = await cli.run('demo');
    expect(code).toBe(1);
    expect(output).toContain(`✗ chat completions, in one piece: `);
    expect(output).toContain(problem);
  });

  it.each([
    ['openai-chat', 'data: {"choices":[{"delta":{"content":"hal"}}]}\n\n', '[DONE]'],
    [
      'openai-responses',
      'data: {"type":"response.output_text.delta","delta":"hal"}\n\n',
      'response.completed',
    ],
    ['anthropic-messages', 'data: {"type":"message_start","message":{}}\n\n', 'message_stop'],
    ['cursor-byok', 'data: {"choices":[{"delta":{"content":"hal"}}]}\n\n', '[DONE]'],
  ])('takes a stream of %s that was cut for a failure', async (front, cut, missing) => {
    const cli = createTestCli({ startGateway: async () => nowhere, fetch: async () => new Response(cut) });
    const { output } = await cli.run('demo', '--json');
    const { ok, turns } = JSON.parse(output);
    expect(ok).toBe(false);
    expect(turns).toContainEqual(
      expect.objectContaining({ front, stream: true, problem: `The stream ended without ${missing}.` }),
    );
  });

  it.each([
    ['openai-chat', 'data: {"error":{"message":"out of breath"}}\n\n'],
    [
      'openai-responses',
      'data: {"type":"response.failed","response":{"error":{"message":"out of breath"}}}\n\n',
    ],
    ['openai-responses', 'data: {"type":"error","message":"out of breath"}\n\n'],
    ['anthropic-messages', 'data: {"type":"error","error":{"message":"out of breath"}}\n\n'],
  ])('shows the error inside a stream of %s', async (front, told) => {
    const cli = createTestCli({ startGateway: async () => nowhere, fetch: async () => new Response(told) });
    const { output } = await cli.run('demo', '--json');
    const problem = 'The stream ended with an error: out of breath';
    expect(JSON.parse(output).turns).toContainEqual(
      expect.objectContaining({ front, stream: true, problem }),
    );
  });

  it('does not believe a response whose deltas say something else', async () => {
    const final = { status: 'completed', output: [{ type: 'message', content: [{ text: 'yes' }] }] };
    const frames = `data: {"type":"response.output_text.delta","delta":"no"}\n\ndata: ${JSON.stringify({ type: 'response.completed', response: final })}\n\n`;
    const cli = createTestCli({ startGateway: async () => nowhere, fetch: async () => new Response(frames) });
    const { output } = await cli.run('demo', '--json');
    expect(output).toContain('The deltas and the final response differ.');
  });
});

describe('demo --matrix', () => {
  it('runs two calls at once through every front and every upstream', async () => {
    const { code, output } = await createTestCli({ startGateway, fetch }).run('demo', '--matrix', '--json');
    const expected = FRONTS.flatMap(({ dialect: front }) =>
      UPSTREAM_KINDS.flatMap(({ kind: upstream }) =>
        [false, true].map((stream) => ({ front, upstream, stream, state: 'ok' })),
      ),
    );
    expect(JSON.parse(output)).toMatchObject({ ok: true, cells: expected });
    expect(code).toBe(0);
  });

  it('prints a table, and why a cell of it is not good', async () => {
    const cli = createTestCli({
      startGateway: async () => nowhere,
      fetch: async () => new Response('{"error":{"message":"boom"}}', { status: 500 }),
      dialects: async () => ({
        fronts: [...FRONTS.slice(0, 1), { ...openaiChatFront, dialect: telepathy.kind }],
        natives: [],
        kinds: [...UPSTREAM_KINDS.slice(0, 1), telepathy],
      }),
    });
    const { code, output } = await cli.run('demo', '--matrix');
    expect(output).toContain(
      'front \\ upstream  openai-chat     telepathy\nopenai-chat       ✗ 0 ms, ✗ 0 ms  –, –\ntelepathy         –, –            –, –',
    );
    expect(output).toContain('✗ openai-chat on openai-chat: The gateway answered status 500');
    expect(output).toContain('– openai-chat on telepathy, streamed: the demo has no server of this kind');
    expect(output).toContain('– telepathy on openai-chat: the demo has no client for this front');
    expect(code).toBe(1);
  });
});
