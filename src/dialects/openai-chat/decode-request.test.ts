import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../core/index.ts';
import { decodeRequest, decodeRequestBody } from './decode-request.ts';

const user = { role: 'user', content: 'Hi' };

function decode(fields: JsonObject) {
  return decodeRequestBody({ model: 'm', messages: [user], ...fields });
}

function decodeMessages(...messages: JsonValue[]) {
  return decodeRequestBody({ model: 'm', messages }).messages;
}

describe('messages', () => {
  it('of every role become canonical messages', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{ "x": 1 }' } };
    const custom = { id: 'b', type: 'custom', custom: { name: 'p', input: '*** go' } };
    expect(
      decodeMessages(
        { role: 'system', content: 'S' },
        { role: 'developer', content: [{ type: 'text', text: 'D' }] },
        { role: 'user', content: 'U', name: 'ann' },
        { role: 'assistant', content: null, tool_calls: [call, custom] },
        { role: 'tool', tool_call_id: 'a', content: 'R' },
        { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'Q' }] },
      ),
    ).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'S' }] },
      { role: 'developer', content: [{ type: 'text', text: 'D' }] },
      { role: 'user', name: 'ann', content: [{ type: 'text', text: 'U' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', callId: 'a', name: 'f', kind: 'function', argumentsText: '{ "x": 1 }' },
          { type: 'tool-call', callId: 'b', name: 'p', kind: 'custom', argumentsText: '*** go' },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', callId: 'a', kind: 'function', content: [{ type: 'text', text: 'R' }] },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', callId: 'b', kind: 'custom', content: [{ type: 'text', text: 'Q' }] },
        ],
      },
    ]);
  });

  it.each([[null], [''], [[]], [undefined]])(
    'of an assistant may have no content beside calls: %j',
    (content) => {
      const tool_calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }];
      const message = { role: 'assistant', tool_calls, ...(content === undefined ? {} : { content }) };
      expect(decodeMessages(message)[0]?.content).toHaveLength(1);
    },
  );

  it('take media of every kind', () => {
    const [message] = decodeMessages({
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
        { type: 'image_url', image_url: 'https://example.test/a.png' },
        { type: 'input_audio', input_audio: { data: 'BBBB', format: 'mp3' } },
        { type: 'file', file: { file_id: 'file-1' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,CCCC', filename: 'a.pdf' } },
        { type: 'video_url', video_url: { url: 'https://example.test/a.mp4' } },
      ],
    });
    expect(message?.content).toEqual([
      { type: 'image', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' }, detail: 'low' },
      { type: 'image', source: { type: 'url', url: 'https://example.test/a.png' } },
      { type: 'audio', source: { type: 'base64', data: 'BBBB' }, format: 'mp3' },
      { type: 'file', source: { type: 'id', id: 'file-1' } },
      {
        type: 'file',
        source: { type: 'base64', data: 'CCCC', mediaType: 'application/pdf' },
        filename: 'a.pdf',
      },
      {
        type: 'opaque',
        dialect: 'openai-chat',
        value: { type: 'video_url', video_url: { url: 'https://example.test/a.mp4' } },
      },
    ]);
  });

  it('keep stray keys of parts and read cache marks', () => {
    const [message] = decodeMessages({
      role: 'assistant',
      content: [
        { type: 'text', text: 'a', annotations: [], parsed: null },
        { type: 'text', text: 'b', cache_control: { type: 'ephemeral', ttl: '1h' } },
        { type: 'refusal', refusal: 'no' },
      ],
      tool_calls: [],
    });
    expect(message?.content).toEqual([
      { type: 'text', text: 'a', annotations: [], extra: { 'openai-chat': { parsed: null } } },
      { type: 'text', text: 'b', cache: { ttl: '1h' } },
      { type: 'refusal', text: 'no' },
    ]);
  });

  it('bring replayed thoughts in each spelling', () => {
    const details = [{ type: 'reasoning.text', text: 'hm', signature: 's' }];
    const parts = decodeMessages(
      { role: 'assistant', content: 'x', reasoning_content: 'hm' },
      { role: 'assistant', content: 'x', reasoning: 'hm' },
      { role: 'assistant', content: 'x', reasoning: 'hm', reasoning_details: details },
    ).map(({ content }) => content[0]);
    expect(parts).toMatchObject([
      { type: 'reasoning', text: 'hm', form: 'raw' },
      { type: 'reasoning', text: 'hm' },
      { type: 'reasoning', text: 'hm', signature: 's', origin: 'openai-chat' },
    ]);
  });

  it('make text of arguments that a client sent as an object', () => {
    const tool_calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: { x: 1 } } }];
    expect(decodeMessages({ role: 'assistant', tool_calls })[0]?.content[0]).toMatchObject({
      argumentsText: '{"x":1}',
    });
  });

  it('of the legacy form find their call by name', () => {
    const decoded = decodeMessages(
      user,
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'R' },
    );
    expect(decoded[1]?.content[0]).toMatchObject({ type: 'tool-call', callId: 'call_legacy_1', name: 'f' });
    expect(decoded[2]).toMatchObject({ role: 'tool', content: [{ callId: 'call_legacy_1' }] });
  });
});

describe('tools', () => {
  it('are read nested, flat and half nested', () => {
    const grammar = { syntax: 'lark', definition: 'start: "x"' };
    const { tools } = decode({
      tools: [
        {
          type: 'function',
          function: { name: 'a', description: 'A', parameters: { type: 'object' }, strict: true },
        },
        { type: 'function', name: 'b', parameters: { type: 'object' } },
        { type: 'custom', custom: { name: 'c', format: { type: 'grammar', grammar } } },
        { type: 'custom', name: 'd', format: { type: 'grammar', ...grammar } },
        { type: 'custom', custom: {}, name: 'e', format: { type: 'text' } },
        { type: 'web_search', size: 'small' },
      ],
    });
    expect(tools).toEqual([
      { kind: 'function', name: 'a', description: 'A', parameters: { type: 'object' }, strict: true },
      { kind: 'function', name: 'b', parameters: { type: 'object' } },
      { kind: 'custom', name: 'c', format: { type: 'grammar', ...grammar } },
      { kind: 'custom', name: 'd', format: { type: 'grammar', ...grammar } },
      { kind: 'custom', name: 'e', format: { type: 'text' } },
      {
        kind: 'hosted',
        name: 'web_search',
        dialect: 'openai-chat',
        hostedType: 'web_search',
        config: { type: 'web_search', size: 'small' },
      },
    ]);
  });

  it.each<[JsonValue, unknown]>([
    ['auto', { type: 'auto' }],
    ['any', { type: 'required' }],
    [{}, { type: 'auto' }],
    [{ type: 'none' }, { type: 'none' }],
    [{ type: 'any' }, { type: 'required' }],
    [{ type: 'function' }, { type: 'required' }],
    [
      { type: 'function', function: { name: 'f' } },
      { type: 'tool', kind: 'function', name: 'f' },
    ],
    [
      { type: 'function', name: 'f' },
      { type: 'tool', kind: 'function', name: 'f' },
    ],
    [
      { type: 'tool', name: 'f' },
      { type: 'tool', kind: 'function', name: 'f' },
    ],
    [
      { type: 'custom', custom: { name: 'p' } },
      { type: 'tool', kind: 'custom', name: 'p' },
    ],
    [{ type: 'web_search' }, { type: 'tool', kind: 'hosted', name: 'web_search' }],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
      { type: 'allowed', mode: 'required', tools: [{ kind: 'function', name: 'f' }] },
    ],
  ])('are chosen by %j', (tool_choice, expected) => {
    expect(decode({ tool_choice }).toolChoice).toEqual(expected);
  });

  it('of the legacy form are functions, one call at a time', () => {
    const request = decode({ functions: [{ name: 'f' }], function_call: { name: 'f' } });
    expect(request).toMatchObject({
      tools: [{ kind: 'function', name: 'f' }],
      toolChoice: { type: 'tool', kind: 'function', name: 'f' },
      parallelToolCalls: false,
    });
  });
});

describe('options', () => {
  it('are all carried', () => {
    const request = decode({
      ...{
        temperature: 0.25,
        top_p: 0.5,
        top_k: 3,
        min_p: 0.1,
        seed: 42,
        stop: 'END',
        max_tokens: 777,
        n: 2,
      },
      ...{ presence_penalty: 1, frequency_penalty: 2, logit_bias: { 5: 1 }, logprobs: true, top_logprobs: 2 },
      ...{ reasoning_effort: 'low', verbosity: 'high', parallel_tool_calls: false, stream: true },
      ...{ stream_options: { include_usage: true, include_obfuscation: false }, user: 'u', store: false },
      ...{ metadata: { a: 'b' }, service_tier: 'flex', prompt_cache_key: 'k', modalities: ['text'] },
    });
    expect(request).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      tools: [],
      parallelToolCalls: false,
      sampling: {
        ...{
          temperature: 0.25,
          topP: 0.5,
          topK: 3,
          minP: 0.1,
          seed: 42,
          stop: ['END'],
          maxOutputTokens: 777,
        },
        ...{
          presencePenalty: 1,
          frequencyPenalty: 2,
          logitBias: { 5: 1 },
          logprobs: true,
          topLogprobs: 2,
          choices: 2,
        },
      },
      reasoning: { effort: 'low' },
      verbosity: 'high',
      stream: true,
      includeUsage: true,
      promptCacheKey: 'k',
      user: 'u',
      serviceTier: 'flex',
      store: false,
      metadata: { a: 'b' },
      extra: {
        'openai-chat': {
          modalities: ['text'],
          max_tokens: 777,
          stream_options: { include_obfuscation: false },
        },
      },
    });
  });

  it('that are null are absent', () => {
    const request = decode({
      temperature: null,
      stop: null,
      stream: null,
      tools: null,
      response_format: null,
      model: null,
    });
    expect(request).toMatchObject({ model: '', stream: false, tools: [], sampling: {} });
  });

  it.each<[JsonObject, unknown]>([
    [{ type: 'text' }, { type: 'text' }],
    [{ type: 'json_object' }, { type: 'json' }],
    [
      { type: 'json_schema', json_schema: { name: 's', schema: { type: 'object' }, strict: true } },
      { type: 'json-schema', name: 's', schema: { type: 'object' }, strict: true },
    ],
    [{ type: 'grammar', grammar: 'x' }, undefined],
  ])('name the output format: %j', (response_format, expected) => {
    expect(decode({ response_format }).output).toEqual(expected);
  });

  it('take the session from the headers OpenCode sends', () => {
    const body = Buffer.from(JSON.stringify({ messages: [user] }));
    const headers = { 'x-session-affinity': 's1' };
    const request = decodeRequest({ method: 'POST', path: '/', query: new URLSearchParams(), headers, body });
    expect(request).toMatchObject({ model: '', session: 's1' });
  });
});
