// A stateless client of the chat dialect with one tool, in front of a gateway on a simulated backend.
import { expect } from 'vitest';
import { readBody } from '../bodies.ts';
import type { TestGateway } from '../test-gateway.ts';
import type { ScriptedCall } from './tool-calls.ts';

export const bash = {
  type: 'function',
  function: {
    name: 'bash',
    description: 'Execute a bash command in the terminal',
    parameters: {
      type: 'object',
      properties: { command: { type: 'string', description: 'The bash command to execute' } },
      required: ['command'],
    },
  },
};
export const user = { role: 'user', content: 'Use the bash tool to run: echo hello' };

export interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { name: string; arguments: string };
  }[];
}

/** One chat request; a streamed answer is put together to the message it says. */
export async function chat(
  gateway: TestGateway,
  messages: readonly object[],
  stream: boolean,
): Promise<Message> {
  const answer = await gateway.post('/v1/chat/completions', {
    model: 'gpt-4o',
    messages,
    stream,
    tools: [bash],
  });
  if (answer.status !== 200) throw new Error(`status ${answer.status}: ${await answer.text()}`);
  if (!stream) {
    const body = await readBody<{ choices: { message: Message; finish_reason: string }[] }>(answer);
    const [choice] = body.choices;
    if (!choice) throw new Error('no choice');
    expect(choice.finish_reason).toBe(choice.message.tool_calls ? 'tool_calls' : 'stop');
    return choice.message;
  }
  const text = await answer.text();
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
  const calls: { id: string; function: { name: string; arguments: string } }[] = [];
  let content = '';
  for (const frame of text.split('\n\n').filter((one) => one.startsWith('data: {'))) {
    const chunk = JSON.parse(frame.slice(6));
    if (chunk.error) throw new Error(chunk.error.message);
    const delta = chunk.choices[0]?.delta ?? {};
    content += delta.content ?? '';
    for (const call of delta.tool_calls ?? []) {
      calls[call.index] ??= { id: call.id, function: { name: call.function.name, arguments: '' } };
      const known = calls[call.index];
      if (known) known.function.arguments += call.function.arguments ?? '';
    }
  }
  return { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

export const results = (message: Message, ids = message.tool_calls?.map(({ id }) => id) ?? []) =>
  ids.map((id) => ({ role: 'tool', tool_call_id: id, content: `result of ${id}` }));
export const call = (callId: string, command: string): ScriptedCall => ({
  callId,
  name: 'bash',
  args: { command },
});
