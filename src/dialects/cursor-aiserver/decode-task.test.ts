import { create, fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { countingIds } from '../../core/index.ts';
import { numberedTools } from '../../gateway/native-tools.ts';
import {
  ConversationMessage_MessageType as MessageType,
  StreamUnifiedChatRequestSchema,
  StreamUnifiedChatRequest_ThinkingLevel as ThinkingLevel,
  StreamUnifiedChatRequest_UnifiedMode as UnifiedMode,
} from '../../gen/aiserver/v1/chat_request_pb.ts';
import { MCPInstructionsSchema } from '../../gen/aiserver/v1/undescribed_pb.ts';
import { encodeClientSideCall, encodeClientSideResult } from '../../tools/codecs/index.ts';
import { succeed } from '../../tools/tool-outcome.ts';
import { decodeTask } from './decode-task.ts';

type RequestInit = MessageInitShape<typeof StreamUnifiedChatRequestSchema>;

const { messages } = numberedTools;

const HUMAN = MessageType.HUMAN;
const AI = MessageType.AI;

function decode(request: RequestInit, headers: Record<string, string> = {}) {
  const drift: string[] = [];
  const decoded = decodeTask(create(StreamUnifiedChatRequestSchema, request), {
    messages,
    listModelAlternatives: () => [],
    headers,
    newId: countingIds(),
    onDrift: (kind) => drift.push(kind),
  });
  return { ...decoded, drift };
}

describe('the request that public gateways send for OpenAI clients', () => {
  const call = { callId: 'call_9\nmc_1', name: 'mcp', number: 19, modelName: 'mcp_custom_get_weather' };
  const request: RequestInit = {
    conversation: [
      { type: HUMAN, text: 'Weather?', bubbleId: 'u1' },
      { type: AI, text: 'Let me look.', bubbleId: 'a1' },
      {
        type: AI,
        bubbleId: 'a2',
        toolResults: [
          {
            toolCallId: call.callId,
            toolName: call.modelName,
            toolIndex: 1,
            rawArgs: '{"city":"Ulm"}',
            result: encodeClientSideResult({ ...call, outcome: succeed('sunny') }).message,
            toolCall: encodeClientSideCall({
              ...call,
              args: { name: 'get_weather', server: 'custom', arguments: { city: 'Ulm' } },
              rawArgs: '{"city":"Ulm"}',
            }).message,
            modelCallId: 'mc_1',
          },
        ],
      },
      { type: HUMAN, text: 'Thanks', bubbleId: 'u2', supportedTools: [19] },
    ],
    fullConversationHeadersOnly: [
      { bubbleId: 'u1', type: HUMAN },
      { bubbleId: 'a1', type: AI },
      { bubbleId: 'a2', type: AI },
      { bubbleId: 'u2', type: HUMAN },
    ],
    explicitContext: { context: 'You are terse.\n\nAnswer in German.' },
    modelDetails: { modelName: 'gpt-5', azureState: {}, maxMode: false },
    isChat: false,
    isAgentic: true,
    supportedTools: [19],
    mcpTools: [
      {
        name: 'get_weather',
        description: 'Tells the weather.',
        parameters: '{"type":"object","properties":{"city":{"type":"string"}}}',
        serverName: 'custom',
      },
    ],
    unifiedMode: UnifiedMode.AGENT,
    unifiedModeName: 'Agent',
    shouldDisableTools: false,
    thinkingLevel: ThinkingLevel.HIGH,
    shouldCache: true,
    useNewCompressionScheme: true,
    allowModelFallbacks: false,
    usesRules: false,
    currentFile: { totalNumberOfLines: 1 },
    environmentInfo: {
      exthostPlatform: 'linux',
      exthostArch: 'x64',
      localTimestamp: '2026-11-15T12:00:00Z',
      cursorVersion: '2.0.0',
    },
    conversationId: '6f1f9d0a-0000-4000-8000-000000000000',
  };

  it('becomes a task with its history, tools and system prompt', () => {
    const { task, mcpTools, supportedNumbers, clientUpstream, drift } = decode(request);
    expect(task).toMatchObject({
      model: 'gpt-5',
      mode: 'agent',
      session: '6f1f9d0a-0000-4000-8000-000000000000',
      systemPrompt: { append: 'You are terse.\n\nAnswer in German.' },
      reasoning: { effort: 'high' },
      surroundings: { os: 'linux x64' },
    });
    expect(task.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(task.messages[1]?.content).toMatchObject([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-call', name: 'mcp_custom_get_weather', argumentsText: '{"city":"Ulm"}' },
    ]);
    expect(task.messages[2]?.content).toMatchObject([
      { type: 'tool-result', name: 'mcp_custom_get_weather', content: [{ type: 'text', text: 'sunny' }] },
    ]);
    expect(task.messages[3]?.content).toEqual([{ type: 'text', text: 'Thanks' }]);
    expect(mcpTools).toMatchObject([
      {
        server: 'custom',
        tool: 'get_weather',
        definition: { name: 'mcp_custom_get_weather', parameters: { type: 'object' } },
      },
    ]);
    expect(supportedNumbers).toEqual([19]);
    expect(clientUpstream).toBeUndefined();
    expect(drift).toEqual([]);
  });

  it('gives the call an id that every model server takes, the same in call and result', () => {
    const { task } = decode(request);
    const [call] = task.messages[1]?.content.filter((part) => part.type === 'tool-call') ?? [];
    const [result] = task.messages[2]?.content ?? [];
    expect(call?.type === 'tool-call' && call.callId).toMatch(/^call_9_mc_1_[0-9a-f]{16}$/);
    expect(result?.type === 'tool-result' && result.callId).toBe(
      call?.type === 'tool-call' ? call.callId : '',
    );
  });

  it('without tools is a chat without tools', () => {
    const { task, supportedNumbers, mcpTools } = decode({
      ...request,
      unifiedMode: UnifiedMode.CHAT,
      isChat: true,
      isAgentic: false,
      shouldDisableTools: true,
    });
    expect([task.mode, supportedNumbers, mcpTools]).toEqual(['chat', [], []]);
  });
});

describe('the model', () => {
  const hello = [{ type: HUMAN, text: 'Hi' }];

  it('is the default one when the client leaves the choice to us', () => {
    expect(decode({ conversation: hello }).task.model).toBe('');
    const { task } = decode({ conversation: hello, modelDetails: { modelName: 'default' } });
    expect(task).toMatchObject({ model: 'default', modelAlternatives: [{ model: '' }] });
  });

  it('may be on a server of the client’s own, with its key', () => {
    const own = { modelName: 'm', apiKey: 'secret', openaiApiBaseUrl: 'https://models.example/v1' };
    expect(decode({ conversation: hello, modelDetails: own }).clientUpstream).toEqual({
      baseUrl: 'https://models.example/v1',
      apiKey: 'secret',
    });
    const keyOnly = { modelName: 'm', apiKey: 'secret' };
    expect(decode({ conversation: hello, modelDetails: keyOnly }).clientUpstream).toBeUndefined();
    const azureState = { useAzure: true, apiKey: 'k', baseUrl: 'https://a.example', deployment: 'd' };
    expect(decode({ conversation: hello, modelDetails: { azureState } }).clientUpstream).toEqual({
      baseUrl: 'https://a.example',
      apiKey: 'k',
      azureDeployment: 'd',
    });
  });

  it('on Bedrock is refused in words that hold no key', () => {
    const bedrockState = { useBedrock: true, secretKey: 'very-secret' };
    const ask = () => decode({ conversation: hello, modelDetails: { bedrockState } });
    expect(ask).toThrow(/Bedrock/);
    expect(ask).not.toThrow(/very-secret/);
  });
});

describe('the mode', () => {
  const mode = (request: RequestInit) => decode({ conversation: [{ text: 'Hi' }], ...request }).task.mode;

  it.each([
    [{ unifiedMode: UnifiedMode.CHAT }, 'chat'],
    [{ unifiedMode: UnifiedMode.AGENT }, 'agent'],
    [{ unifiedMode: UnifiedMode.EDIT }, 'agent'],
    [{ unifiedMode: UnifiedMode.PLAN }, 'plan'],
    [{ unifiedMode: UnifiedMode.DEBUG }, 'debug'],
    [{ unifiedMode: UnifiedMode.CUSTOM, unifiedModeName: 'Ask' }, 'chat'],
    [{ unifiedMode: UnifiedMode.CUSTOM, unifiedModeName: 'my own', isAgentic: true }, 'agent'],
    [{ isQuickSearchQuery: true }, 'search'],
    [{ isSpecMode: true }, 'plan'],
    [{ isAgentic: true, isChat: true }, 'agent'],
    [{ isChat: true }, 'chat'],
    [{ supportedTools: [40] }, 'agent'],
    [{}, 'chat'],
  ] satisfies [RequestInit, string][])('of %o is %s', (request, expected) => {
    expect(mode(request)).toBe(expected);
  });
});

describe('the surroundings', () => {
  it('come from wherever the client said them', () => {
    const { task } = decode(
      {
        conversation: [
          {
            type: HUMAN,
            text: 'Hi',
            cursorRules: [{ name: 'style', body: 'Be brief.' }],
            mcpDescriptors: [
              {
                folderPath: '/mcp/db',
                serverName: 'db',
                tools: [{ toolName: 'query', description: 'Asks.' }],
                serverUseInstructions: 'Read only.',
              },
            ],
          },
        ],
        explicitContext: {
          rules: [
            { name: 'style', body: 'Old.' },
            { name: 'tests', description: 'How to test', fullPath: '/w/.cursor/rules/tests.mdc' },
          ],
          mcpInstructions: [fromBinary(MCPInstructionsSchema, undescribed('docs', 'Search first.'))],
          repoContext: 'A monorepo.',
        },
        environmentInfo: { exthostShell: '/bin/zsh', workspaceUris: ['file:///old'] },
        workspaceFolders: [
          { uri: 'file:///home/me/my%20app', name: 'app' },
          { uri: 'file:///c%3A/code/x', name: 'win' },
        ],
      },
      { 'x-cursor-timezone': 'Europe/Berlin', 'x-cursor-client-os': 'darwin' },
    );
    expect(task.surroundings).toEqual({
      workspaces: ['/home/me/my app', 'c:\\code\\x'],
      os: 'darwin',
      shell: '/bin/zsh',
      timeZone: 'Europe/Berlin',
      rules: [{ name: 'style', text: 'Be brief.' }],
      onDemand: [
        { name: 'tests', text: 'How to test (/w/.cursor/rules/tests.mdc)' },
        { name: 'MCP server db', text: 'Described in /mcp/db.\nquery: Asks.' },
      ],
      instructions: [
        { name: 'docs', text: 'Search first.' },
        { name: 'db', text: 'Read only.' },
      ],
    });
    expect(task.systemPrompt?.append).toBe('A monorepo.');
  });
});

/** A message with these texts in its fields 1, 2, … */
function undescribed(...texts: string[]): Uint8Array {
  return Buffer.concat(
    texts.map((text, index) => {
      const bytes = Buffer.from(text);
      return Buffer.concat([Buffer.from([((index + 1) << 3) | 2, bytes.length]), bytes]);
    }),
  );
}
