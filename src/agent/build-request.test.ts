import { describe, expect, it } from 'vitest';
import { type AgentTask, type Message, userMessage } from '../core/index.ts';
import { buildRequest } from './build-request.ts';

const task: AgentTask = {
  runId: 'r',
  model: 'm',
  mode: 'agent',
  messages: [],
  session: 's',
  reasoning: { effort: 'high' },
};

describe('the request of a step', () => {
  it('carries what the task says and asks for a stream with counts', () => {
    const request = buildRequest(task, 'Be good.', [userMessage('Hi')], [{ kind: 'function', name: 'read' }]);
    expect(request).toMatchObject({
      model: 'm',
      session: 's',
      reasoning: { effort: 'high' },
      stream: true,
      includeUsage: true,
      tools: [{ name: 'read' }],
    });
    expect(request).not.toHaveProperty('parallelToolCalls');
  });

  it('marks the prompt and the end of the conversation for caches, and changes no message of the task', () => {
    const messages = [userMessage('one'), userMessage('two')];
    const request = buildRequest(task, 'Be good.', messages, []);
    expect(request.messages.map(({ content }) => content[0]?.cache)).toEqual([{}, undefined, {}]);
    expect(messages[1]).toEqual(userMessage('two'));
  });

  it('marks no thought, whose proof may cover every byte, and leaves the marks of others alone', () => {
    const thought: Message = {
      role: 'assistant',
      content: [{ type: 'reasoning', text: 'Hm.', form: 'raw' }],
    };
    expect(buildRequest(task, '', [thought], []).messages[1]).toBe(thought);
    const marked: Message = { role: 'user', content: [{ type: 'text', text: 'x', cache: { ttl: '1h' } }] };
    expect(buildRequest(task, '', [marked], []).messages[1]).toBe(marked);
  });
});
