// Scripted sessions in Ask, Plan and Agent, of three families of model names, against the real neighbour dialects.
import { describe, expect, it } from 'vitest';
import {
  countingIds,
  GatewayError,
  type JsonObject,
  type TurnEvent,
  type TurnRequest,
  TurnSpans,
} from '../../core/index.ts';
import type { Front, FrontRequest } from '../dialect.ts';
import { chooseEncoding, encodeRequest as encodeChat, openaiChatFront } from '../openai-chat/index.ts';
import { encodeRequest as encodeResponses, openaiResponsesFront } from '../openai-responses/index.ts';
import { makeRequest } from './fixtures/make-request.ts';
import { type CursorByokOptions, createCursorByokFront } from './front.ts';

const PATCH = '*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** End Patch';
const SCHEMA = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const GRAMMAR = { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' };

function makeFront(options: CursorByokOptions = {}): Front {
  return createCursorByokFront({ chat: openaiChatFront, responses: openaiResponsesFront, options });
}

const front = makeFront();

function decode(body: JsonObject, changes?: Partial<FrontRequest>): TurnRequest {
  return front.decodeRequest(makeRequest(body, changes));
}

interface Family {
  readonly name: string;
  /** The body of the first turn of a mode. */
  readonly ask: (mode: string) => JsonObject;
  /** The body after the model called Read (and, in the GPT family, ApplyPatch) and Cursor ran it. */
  readonly answer: () => JsonObject;
}

const nestedRead = { type: 'function', function: { name: 'Read', description: 'Reads', parameters: SCHEMA } };
const chatCall = {
  id: 'call_aaaaaaaa',
  type: 'function',
  function: { name: 'Read', arguments: '{"path":"a.ts"}' },
};
const patchCall = {
  id: 'call_bbbbbbbb',
  type: 'function',
  function: { name: 'ApplyPatch', arguments: PATCH },
};

const FAMILIES: readonly Family[] = [
  {
    name: 'generic',
    ask: (mode) => ({
      model: 'deepseek-x',
      stream: true,
      stream_options: { include_usage: true },
      user: 'hash',
      messages: [
        { role: 'system', content: `You are in ${mode} mode.` },
        { role: 'system', content: 'Second prompt.' },
        { role: 'user', content: [{ type: 'text', text: 'What is in a.ts?' }] },
      ],
      ...(mode === 'Ask' ? {} : { tools: [nestedRead], tool_choice: 'auto' }),
    }),
    answer: () => ({
      model: 'deepseek-x',
      stream: true,
      messages: [
        { role: 'user', content: 'What is in a.ts?' },
        { role: 'assistant', content: '', tool_calls: [chatCall] },
        { role: 'tool', tool_call_id: 'call_aaaaaaaa', content: 'x' },
      ],
      tools: [nestedRead],
    }),
  },
  {
    name: 'GPT-5',
    ask: (mode) =>
      mode === 'Ask'
        ? {
            model: 'mb-gpt-5.6-high',
            stream: true,
            messages: [{ role: 'user', content: 'What is in a.ts?' }],
            tools: [nestedRead, { type: 'custom', custom: { name: 'ApplyPatch', format: GRAMMAR } }],
          }
        : {
            model: 'mb-gpt-5.6-high',
            stream: true,
            stream_options: { include_usage: true },
            instructions: `You are in ${mode} mode.`,
            input: [{ role: 'user', content: [{ type: 'input_text', text: 'What is in a.ts?' }] }],
            reasoning: { effort: 'high', summary: 'auto' },
            include: ['reasoning.encrypted_content'],
            text: { verbosity: 'low' },
            store: false,
            prompt_cache_key: 'session-1',
            prompt_cache_retention: '24h',
            truncation: 'disabled',
            metadata: {},
            tools: [
              { type: 'function', name: 'Read', description: 'Reads', parameters: SCHEMA },
              { type: 'custom', name: 'ApplyPatch', description: 'Patches', format: GRAMMAR },
            ],
          },
    answer: () => ({
      model: 'mb-gpt-5.6-high',
      stream: true,
      messages: null,
      input: [
        { role: 'user', content: 'What is in a.ts?' },
        { type: 'function_call', call_id: 'call_aaaaaaaa', name: 'Read', arguments: '{"path":"a.ts"}' },
        { type: 'function_call', call_id: 'call_bbbbbbbb', name: 'ApplyPatch', arguments: PATCH },
        { type: 'function_call_output', call_id: 'call_aaaaaaaa', output: 'x' },
        { type: 'function_call_output', call_id: 'call_bbbbbbbb', output: 'Done' },
      ],
      tools: [
        { type: 'function', name: 'Read', parameters: SCHEMA },
        { type: 'custom', name: 'ApplyPatch', format: GRAMMAR },
      ],
    }),
  },
  {
    name: 'Claude',
    ask: (mode) => ({
      model: 'my-claude-thinking-high',
      stream: true,
      system: [{ type: 'text', text: `You are in ${mode} mode.`, cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What is in a.ts?' }] }],
      tools: mode === 'Ask' ? [] : [{ name: 'Read', description: 'Reads', input_schema: SCHEMA }],
      tool_choice: mode === 'Ask' ? {} : { type: 'auto' },
    }),
    answer: () => ({
      model: 'my-claude',
      stream: true,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'What is in a.ts?' }] },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'call_aaaaaaaa', name: 'Read', input: { path: 'a.ts' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_aaaaaaaa', content: 'x' }] },
      ],
      tools: [{ name: 'Read', input_schema: SCHEMA }],
    }),
  },
];

describe.each(FAMILIES)('a session of the $name family', ({ ask, answer, name }) => {
  it.each(['Ask', 'Plan', 'Agent'])('asks in %s mode', (mode) => {
    const request = decode(ask(mode));
    expect(request).toMatchObject({ stream: true, includeUsage: true });
    expect(request.messages.at(-1)).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: 'What is in a.ts?' }],
    });
    const read = request.tools.find((tool) => tool.name === 'Read');
    if (mode !== 'Ask' || name === 'GPT-5') {
      expect(read).toMatchObject({ kind: 'function', description: 'Reads', parameters: SCHEMA });
    }
    expect(request.tools.some((tool) => tool.kind === 'custom')).toBe(name === 'GPT-5');
  });

  it('comes back with the result of a call', () => {
    const { messages } = decode(answer());
    const parts = messages.flatMap((message) => message.content);
    expect(parts).toContainEqual(
      expect.objectContaining({ type: 'tool-call', callId: 'call_aaaaaaaa', name: 'Read' }),
    );
    const result = parts.find((part) => part.type === 'tool-result');
    expect(result).toMatchObject({ callId: 'call_aaaaaaaa', content: [{ type: 'text', text: 'x' }] });
  });

  it('is a valid request for a strict chat server and for Responses', () => {
    for (const body of [ask('Agent'), answer()]) {
      const strict = chooseEncoding({ baseUrl: 'http://127.0.0.1:1', capabilities: [] });
      const chat = encodeChat(decode(body), strict).body;
      expect(Object.keys(chat)).not.toContain('prompt_cache_retention');
      for (const tool of chat.tools as JsonObject[]) expect(tool.type).toBe('function');
      const responses = encodeResponses(decode(body)).body;
      for (const tool of responses.tools as JsonObject[]) expect(typeof tool.name).toBe('string');
    }
  });
});

describe('an ApplyPatch call on its way round', () => {
  it('leaves in a function envelope, comes back in one, and is a custom call again', () => {
    const body = {
      model: 'gpt-5',
      messages: [{ role: 'user', content: 'patch' }],
      tools: [{ type: 'custom', name: 'ApplyPatch', format: GRAMMAR }],
    };
    const next = {
      ...body,
      messages: [
        ...body.messages,
        { role: 'assistant', content: null, tool_calls: [patchCall] },
        { role: 'tool', tool_call_id: 'call_bbbbbbbb', content: 'Done' },
      ],
    };
    const { messages } = decode(next);
    expect(messages[1]?.content[0]).toMatchObject({
      kind: 'custom',
      name: 'ApplyPatch',
      argumentsText: PATCH,
    });
    expect(messages[2]?.content[0]).toMatchObject({ type: 'tool-result', kind: 'custom' });
  });
});

describe('thoughts that Cursor does not send back', () => {
  function answerTurn(target: Front, request: TurnRequest): void {
    const encoder = target.createEncoder({
      turnId: 't',
      request,
      model: 'm',
      nowMs: 0,
      newId: countingIds(),
    });
    const events: TurnEvent[] = [{ type: 'turn-start' }];
    const spans = new TurnSpans();
    spans.reasoning('I should read it.', events);
    spans.startTool({ callId: 'call_aaaaaaaa', name: 'Read', kind: 'function' }, events);
    spans.tools.append('call_aaaaaaaa', '{"path":"a.ts"}', events);
    spans.complete(events);
    encoder.encode([...events, { type: 'turn-end', reason: 'tool-calls' }]);
  }

  const generic = FAMILIES[0];
  const thoughtIn = (request: TurnRequest, capabilities: readonly string[]) =>
    JSON.stringify(
      encodeChat(request, chooseEncoding({ baseUrl: 'http://127.0.0.1:1', capabilities })).body,
    ).includes('I should read it.');

  it('are restored for servers that want them and for no others', () => {
    const target = makeFront();
    answerTurn(target, target.decodeRequest(makeRequest(generic?.ask('Agent'))));
    const next = target.decodeRequest(makeRequest(generic?.answer()));
    expect(thoughtIn(next, ['reasoning_replay'])).toBe(true);
    expect(thoughtIn(next, [])).toBe(false);
    expect(JSON.stringify(encodeResponses(next).body)).not.toContain('I should read it.');
  });

  it('are not restored for the holder of another key, and no key is kept', () => {
    const target = makeFront();
    const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
    answerTurn(target, target.decodeRequest(makeRequest(generic?.ask('Agent'), as('one-secret'))));
    const other = target.decodeRequest(makeRequest(generic?.answer(), as('two-secret')));
    expect(thoughtIn(other, ['reasoning_replay'])).toBe(false);
    const same = target.decodeRequest(makeRequest(generic?.answer(), as('one-secret')));
    expect(thoughtIn(same, ['reasoning_replay'])).toBe(true);
    expect(JSON.stringify(same)).not.toContain('one-secret');
  });

  it('are taken out of replayed answers when they were shown there', () => {
    const shown = '<details><summary>Thinking</summary>\n\nhm\n\n</details>\n\nHello';
    const body = {
      model: 'm',
      messages: [
        { role: 'assistant', content: shown },
        { role: 'user', content: shown },
      ],
    };
    const texts = (target: Front) =>
      target.decodeRequest(makeRequest(body)).messages.map(({ content }) => content[0]);
    expect(texts(makeFront({ showThinking: 'details' }))).toMatchObject([{ text: 'Hello' }, { text: shown }]);
    expect(texts(makeFront())).toMatchObject([{ text: shown }, { text: shown }]);
  });
});

describe('the way in', () => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'say hi' }] };
  const dialectOf = (request: TurnRequest) => request.extra?.['cursor-byok']?.dialect;

  it('answers on every spelling of the path', () => {
    expect(front.turnPaths).toEqual([
      '/cursor/chat/completions',
      '/cursor/v1/chat/completions',
      '/cursor/v1/v1/chat/completions',
      '/cursor/openai/deployments/:model/chat/completions',
    ]);
    expect(front.dialect).toBe('cursor-byok');
  });

  it('takes the model from an Azure-shaped path when the body names none', () => {
    const path = '/cursor/openai/deployments/my%20model/chat/completions';
    expect(decode({ messages: body.messages }, { path }).model).toBe('my model');
    expect(decode(body, { path }).model).toBe('m');
    expect(decode({ messages: body.messages }, { path: path.replace('%20', '%zz') }).model).toBe(
      'my%zzmodel',
    );
  });

  it('lets the check of a key, with a stock name, end at the default model', () => {
    const probe = { model: 'gpt-3.5-turbo', messages: [{ role: 'system', content: 's' }, ...body.messages] };
    expect(decode(probe)).toMatchObject({ stream: false, modelAlternatives: [{ model: '' }] });
    expect(decode(body)).not.toHaveProperty('modelAlternatives');
  });

  it('chooses the dialect by header, then query, then configuration', () => {
    const query = new URLSearchParams({ dialect: 'both' });
    const headers = { 'x-crosspoint-dialect': 'cursor' };
    expect(dialectOf(decode(body))).toBe('openai');
    expect(dialectOf(decode(body, { query }))).toBe('both');
    expect(dialectOf(decode(body, { query, headers }))).toBe('cursor');
    expect(dialectOf(makeFront({ dialect: 'cursor' }).decodeRequest(makeRequest(body)))).toBe('cursor');
  });

  it('refuses an unknown dialect with the names of the three', () => {
    const headers = { 'x-crosspoint-dialect': 'klingon' };
    const attempt = () => decode(body, { headers });
    expect(attempt).toThrow(/klingon.*openai, cursor, both/);
    expect(attempt).toThrow(expect.objectContaining({ code: 'invalid-request' }));
  });

  it('sends errors in the chat envelope, short enough to be shown', () => {
    const reply = front.encodeError(new GatewayError('context-overflow', 'long '.repeat(200)));
    expect(reply).toMatchObject({
      status: 400,
      body: { error: { code: 'context_length_exceeded', param: null } },
    });
    expect(JSON.stringify(reply.body).length).toBeLessThan(500);
  });

  it('says where a body is no JSON', () => {
    expect(() =>
      front.decodeRequest({ ...makeRequest({}), body: new TextEncoder().encode('{"a":') }),
    ).toThrow(/not valid JSON/);
  });
});
