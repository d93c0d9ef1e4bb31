import { describe, expect, it } from 'vitest';
import type { Message, TurnRequest } from '../../core/index.ts';
import { PROMPT_STRATEGIES, type PromptStrategy, readSettings } from './agent-settings.ts';
import { BlobStore } from './blob-store.ts';
import { encodeRun } from './encode-run.ts';
import { BASH, textResult, turnRequest, userSays, WEATHER } from './fixtures/play-turn.ts';

function encode(
  request: Partial<TurnRequest>,
  capabilities: readonly string[] = [],
  knownModels: string[] = [],
) {
  const blobs = new BlobStore();
  const plan = encodeRun({
    turn: turnRequest(request),
    settings: readSettings(capabilities),
    blobs,
    conversationId: 'conversation',
    turnId: 'turn',
    knownModels: new Set(knownModels),
  });
  const prompt = (plan.request.conversationState?.rootPromptMessagesJson ?? []).map((id) =>
    JSON.parse(Buffer.from(blobs.peek(id) ?? []).toString('utf8')),
  );
  const action = plan.request.action?.action;
  const user = action?.case === 'userMessageAction' ? action.value : undefined;
  return { ...plan, prompt, action, user };
}

const CONVERSATION: Message[] = [
  {
    role: 'system',
    content: [{ type: 'text', text: 'Be brief.\nWorking directory: /home/u/project\nPlatform: linux' }],
  },
  userSays('Weather?'),
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hm', form: 'raw' },
      {
        type: 'tool-call',
        callId: 'c1',
        name: 'get_weather',
        kind: 'function',
        argumentsText: '{"city":"Oslo"}',
      },
      { type: 'tool-call', callId: 'c2', name: 'get_weather', kind: 'function', argumentsText: 'not json' },
    ],
  },
  { role: 'tool', content: [textResult('c1', 'snow', true)] },
  { role: 'assistant', content: [{ type: 'text', text: 'Snow.' }] },
  userSays('And tomorrow?'),
];

describe('a run request', () => {
  it('always has a state with a mode, whatever the strategy', () => {
    for (const strategy of PROMPT_STRATEGIES) {
      const { request } = encode({ messages: CONVERSATION }, [`prompt=${strategy}`]);
      expect(request.conversationState?.mode, strategy).toBe(1);
    }
    expect(encode({}, ['mode=plan']).request.conversationState?.mode).toBe(3);
  });

  it('puts the system prompt into the cloud rule and the history into blobs by default', () => {
    const { context, prompt, user, request } = encode({ messages: CONVERSATION, tools: [WEATHER] });
    expect(context.cloudRule).toContain('Be brief.');
    expect(request.customSystemPrompt).toBeUndefined();
    expect(prompt).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'c1', toolName: 'mcp_caller_get_weather', args: { city: 'Oslo' } },
          {
            type: 'tool-call',
            toolCallId: 'c2',
            toolName: 'mcp_caller_get_weather',
            args: { input: 'not json' },
          },
        ],
      },
      {
        role: 'tool',
        id: 'c1',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'mcp_caller_get_weather',
            result: 'snow',
            isError: true,
          },
        ],
      },
      {
        role: 'tool',
        id: 'c2',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c2',
            toolName: 'mcp_caller_get_weather',
            result: 'This call was not answered.',
            isError: true,
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Snow.' }] },
    ]);
    expect(user?.userMessage?.text).toBe('And tomorrow?');
    expect(user?.requestContext?.tools).toHaveLength(1);
    expect(request.preFetchedBlobs).toHaveLength(5);
  });

  const elsewhere: [PromptStrategy, (encoded: ReturnType<typeof encode>) => void][] = [
    [
      'custom-prompt',
      ({ request, context, prompt }) => {
        expect(request.customSystemPrompt).toContain('Be brief.');
        expect(context.cloudRule).toBeUndefined();
        expect(prompt).toHaveLength(5);
      },
    ],
    [
      'history-field',
      ({ request, user, prompt }) => {
        expect(request.customSystemPrompt).toContain('Be brief.');
        expect(prompt).toEqual([]);
        expect(user?.conversationHistory?.messages.map(({ message }) => message.case)).toEqual([
          'user',
          'assistant',
          'tool',
          'tool',
          'assistant',
        ]);
      },
    ],
    [
      'plain-text',
      ({ request, user, prompt }) => {
        expect(request.customSystemPrompt).toBeUndefined();
        expect(prompt).toEqual([]);
        const text = user?.userMessage?.text ?? '';
        expect(text).toContain('<rules>\nBe brief.');
        expect(text).toContain('Error of mcp_caller_get_weather (c1): snow');
        expect(text.endsWith('And tomorrow?')).toBe(true);
      },
    ],
  ];
  it.each(elsewhere)('follows the strategy %s', (strategy, check) => {
    check(encode({ messages: CONVERSATION }, [`prompt=${strategy}`]));
  });

  it('refuses a strategy that does not exist, naming those that do', () => {
    expect(() => readSettings(['prompt=shout'])).toThrow(/prompt=shout.*cloud-rule, custom-prompt/);
  });

  it('goes on without a user message when the conversation ends with results', () => {
    const messages = CONVERSATION.slice(0, 4);
    expect(encode({ messages }).action?.case).toBe('resumeAction');
    const { user } = encode({ messages }, ['prompt=plain-text']);
    expect(user?.userMessage?.text).toContain('Continue.');
  });

  it('refuses a conversation without messages', () => {
    expect(() => encode({ messages: CONVERSATION.slice(0, 1) })).toThrow(/at least one user message/);
  });

  it('tells the backend where the caller works, as its system prompt says', () => {
    const { context } = encode({ messages: CONVERSATION });
    expect(context.env).toMatchObject({ workspacePaths: ['/home/u/project'], osVersion: 'linux' });
    expect(encode({}).context.env?.workspacePaths).toEqual([]);
  });

  it('sends pictures under a name that stays the same', () => {
    const content: Message['content'] = [
      { type: 'text', text: 'Look' },
      { type: 'image', source: { type: 'base64', data: 'AAEC', mediaType: 'image/jpeg' } },
    ];
    const images = () =>
      encode({ messages: [{ role: 'user', content }] }).user?.userMessage?.selectedContext?.selectedImages;
    expect(images()).toMatchObject([{ mimeType: 'image/jpeg', dataOrBlobId: { case: 'data' } }]);
    expect(images()?.[0]?.uuid).toBe(images()?.[0]?.uuid);
  });

  it('says in words what the protocol has no field for', () => {
    const schema = { type: 'object' };
    const { context } = encode({
      tools: [WEATHER, BASH],
      toolChoice: { type: 'tool', kind: 'function', name: 'bash' },
      parallelToolCalls: false,
      output: { type: 'json-schema', schema },
    });
    expect(context.cloudRule).toMatch(
      /a call of the tool bash[\s\S]*one tool at a time[\s\S]*\{"type":"object"\}/,
    );
  });

  it('declares no tools when none may be called, and only the allowed ones otherwise', () => {
    expect(encode({ tools: [BASH], toolChoice: { type: 'none' } }).tools.wireNames).toEqual([]);
    const allowed = {
      type: 'allowed' as const,
      mode: 'auto' as const,
      tools: [{ kind: 'function' as const, name: 'bash' }],
    };
    expect(encode({ tools: [BASH, WEATHER], toolChoice: allowed }).tools.wireNames).toEqual(['bash']);
  });

  it('approves web tools only for callers that asked for them', () => {
    const hosted = {
      kind: 'hosted' as const,
      name: 'web_search',
      dialect: 'openai-responses',
      hostedType: 'web_search',
      config: {},
    };
    expect(encode({ tools: [hosted] })).toMatchObject({
      approvesWeb: true,
      context: { webSearchEnabled: true },
    });
    expect(encode({ tools: [BASH] })).toMatchObject({
      approvesWeb: false,
      context: { webSearchEnabled: false },
    });
  });

  it('chooses a known variant for an effort, and parameters where none is known', () => {
    const reasoning = { effort: 'high' };
    const known = encode({ model: 'm', reasoning }, [], ['m', 'm-thinking-high']).request.requestedModel;
    expect(known).toMatchObject({ modelId: 'm-thinking-high', parameters: [] });
    const unknown = encode({ model: 'm', reasoning }).request.requestedModel;
    expect(unknown).toMatchObject({ modelId: 'm', parameters: [{ id: 'effort', value: 'high' }] });
    expect(encode({ model: 'auto' }, ['max-mode']).request.requestedModel).toMatchObject({
      modelId: 'default',
      maxMode: true,
    });
    expect(encode({ reasoning: { effort: 'none' } }).request.requestedModel?.parameters).toMatchObject([
      { id: 'thinking', value: 'false' },
    ]);
  });

  it('warns of options that have no place', () => {
    expect(encode({ sampling: { temperature: 0.2 } }).warnings).toMatchObject([
      { code: 'option-dropped', message: expect.stringContaining('temperature') },
    ]);
    expect(encode({}).warnings).toEqual([]);
  });
});
