import { describe, expect, it } from 'vitest';
import { startGateway } from '../../server/start-gateway.ts';
import type { StartedGateway } from '../context.ts';
import { createTestCli } from '../fixtures/test-context.ts';

/** A gateway that is not there; the answers come from a fake fetch. */
const nowhere: StartedGateway = {
  url: 'http://127.0.0.1:9',
  port: 9,
  models: async () => [],
  close: async () => {},
  closed: Promise.resolve(),
};

describe('demo', () => {
  it('holds a whole tool turn on every front against a real gateway', async () => {
    const { code, output } = await createTestCli({ startGateway, fetch }).run('demo');
    expect(output).toContain('calls read_file {"path":"greeting.txt"}');
    expect(output).toContain('✓ chat completions, in one piece');
    expect(output).toContain('✓ chat completions, streamed');
    expect(output).toContain('Everything was as expected.');
    expect(code).toBe(0);
  });

  it('prints JSON', async () => {
    const { code, output } = await createTestCli({ startGateway, fetch }).run('demo', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({
      ok: true,
      turns: [
        { front: 'openai-chat', ok: true },
        { front: 'openai-chat', ok: true },
      ],
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

  it('takes a stream that was cut for a failure', async () => {
    const cut = 'data: {"choices":[{"delta":{"content":"hal"}}]}\n\n';
    const cli = createTestCli({ startGateway: async () => nowhere, fetch: async () => new Response(cut) });
    const { output } = await cli.run('demo', '--json');
    expect(JSON.parse(output)).toMatchObject({
      ok: false,
      turns: [{}, { problem: 'The stream ended without [DONE].' }],
    });
  });
});
