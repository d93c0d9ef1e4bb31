import { describe, expect, it } from 'vitest';
import { GatewayError, type JsonObject } from '../../core/index.ts';
import { decodeRequestBody } from './decode-request.ts';

const user = { role: 'user', content: 'Hi' };

function refusal(run: () => unknown): GatewayError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was refused');
}

describe('a wrong request is refused by name', () => {
  it.each<[string, JsonObject, string]>([
    ['messages', { messages: null }, 'null'],
    ['messages', { messages: [] }, 'empty'],
    ['messages', { messages: 'Hi' }, 'a string ("Hi")'],
    ['messages[1]', { messages: [user, 5] }, 'a number (5)'],
    ['messages[0].role', { messages: [{ content: 'x' }] }, 'nothing'],
    ['messages[0].role', { messages: [{ role: 'robot', content: 'x' }] }, '"robot"'],
    ['messages[2].content', { messages: [user, user, { role: 'user', content: 5 }] }, 'a number (5)'],
    ['messages[0].content', { messages: [{ role: 'user' }] }, 'nothing'],
    [
      'messages[0].content[1].text',
      { messages: [{ role: 'user', content: ['a', { type: 'text', text: 1 }] }] },
      'a number (1)',
    ],
    ['messages[0].content[0].type', { messages: [{ role: 'user', content: [{}] }] }, 'nothing'],
    [
      'messages[0].content[0].image_url.url',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
      'nothing',
    ],
    ['messages[0].tool_call_id', { messages: [{ role: 'tool', content: 'x' }] }, 'must name the call'],
    [
      'messages[0].tool_calls[0].id',
      { messages: [{ role: 'assistant', tool_calls: [{ function: { name: 'f' } }] }] },
      'nothing',
    ],
    [
      'messages[0].tool_calls[0].function.arguments',
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: 5 } }] }] },
      'a number',
    ],
    ['tools', { tools: {} }, 'an object'],
    ['tools[0]', { tools: [null] }, 'null'],
    ['tools[0].type', { tools: [{}] }, 'nothing'],
    ['tools[0].function.name', { tools: [{ type: 'function', function: {} }] }, 'nothing'],
    [
      'tools[0].function.parameters',
      { tools: [{ type: 'function', function: { name: 'f', parameters: 'x' } }] },
      '"x"',
    ],
    [
      'tools[0].custom.format.type',
      { tools: [{ type: 'custom', custom: { name: 'f', format: { type: 'x' } } }] },
      '"x"',
    ],
    ['tool_choice', { tool_choice: 'maybe' }, '"maybe"'],
    ['tool_choice', { tool_choice: 5 }, 'a number (5)'],
    ['functions', { functions: {} }, 'an object'],
    ['model', { model: 5 }, 'a number (5)'],
    ['temperature', { temperature: 'hot' }, '"hot"'],
    ['stop', { stop: [1] }, 'an array'],
    ['n', { n: 0 }, 'a number (0)'],
    ['stream', { stream: 'yes' }, '"yes"'],
    ['stream_options', { stream_options: true }, 'a boolean (true)'],
    ['stream_options.include_usage', { stream_options: { include_usage: 1 } }, 'a number (1)'],
    ['response_format', { response_format: 'json' }, '"json"'],
    ['response_format.json_schema', { response_format: { type: 'json_schema' } }, 'nothing'],
    ['reasoning.max_tokens', { reasoning: { max_tokens: 'x' } }, '"x"'],
  ])('%s in %j', (param, fields, found) => {
    const error = refusal(() => decodeRequestBody({ model: 'm', messages: [user], ...fields }));
    expect(error.code).toBe('invalid-request');
    expect(error.detail?.param).toBe(param);
    expect(error.message).toContain(found);
  });
});
