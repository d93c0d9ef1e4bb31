// Two gateways in a row: a chat client, our upstream of the agent protocol, our front of the agent protocol, the demo
// model. Both sides of the protocol are ours, so that each is the other's referee.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBody } from '../support/bodies.ts';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { name: string; arguments: string };
  }[];
}

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'lookup',
      description: 'Looks a word up.',
      parameters: {
        type: 'object',
        properties: { word: { type: 'string' }, options: { type: 'object' } },
        required: ['word'],
      },
    },
  },
];

describe.each(['http1', 'http2'])('a chat client through two gateways over %s', (transport) => {
  let far: TestGateway;
  let near: TestGateway;

  beforeAll(async () => {
    far = await startTestGateway();
    near = await startTestGateway({
      upstreams: {
        cursor: {
          kind: 'cursor-agent',
          baseUrl: far.url,
          apiKey: 'any',
          models: ['demo/demo', 'demo/reasoning', 'demo/none'],
          capabilities: [transport],
          retries: 0,
        },
      },
    });
  });
  afterAll(async () => {
    await near?.stop();
    await far?.stop();
  });

  async function chat(messages: readonly object[], model = 'demo/demo'): Promise<ChatMessage> {
    const answer = await near.post('/v1/chat/completions', {
      model: `cursor/${model}`,
      messages,
      tools: TOOLS,
    });
    if (answer.status !== 200) throw new Error(`status ${answer.status}: ${await answer.text()}`);
    const { choices } = await readBody<{ choices: { message: ChatMessage }[] }>(answer);
    const [choice] = choices;
    if (!choice) throw new Error('no choice');
    return choice.message;
  }

  it('gets text', async () => {
    expect((await chat([{ role: 'user', content: 'what is 6*7' }])).content).toContain('6*7 = 42');
  });

  it('is called back for its own tool, arguments intact, and its result reaches the model', async () => {
    const args = { word: 'Grüße', options: { deep: [1, null, { x: 'ß' }] } };
    const user = { role: 'user', content: `call lookup with ${JSON.stringify(args)}` };
    const first = await chat([user]);
    expect(first.tool_calls).toHaveLength(1);
    const [call] = first.tool_calls ?? [];
    expect(call?.function.name).toBe('lookup');
    expect(JSON.parse(call?.function.arguments ?? '')).toEqual(args);
    const second = await chat([
      user,
      first,
      { role: 'tool', tool_call_id: call?.id, content: 'found at page 7' },
    ]);
    expect(second.tool_calls).toBeUndefined();
    expect(second.content).toContain('found at page 7');
  });

  it('is told which model is missing at the far end', async () => {
    const messages = [{ role: 'user', content: 'hello' }];
    const answer = await near.post('/v1/chat/completions', { model: 'cursor/demo/none', messages });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await answer.text()).toContain('has no model');
  });
});
