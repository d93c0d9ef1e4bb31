import { describe, expect, it } from 'vitest';
import type { ToolDefinition, TurnRequest } from '../core/index.ts';
import { fitHostedTools } from './fit-tools.ts';

const search: ToolDefinition = {
  kind: 'hosted',
  name: 'web_search',
  dialect: 'openai-responses',
  hostedType: 'web_search',
  config: {},
};
const read: ToolDefinition = { kind: 'function', name: 'read' };
const request = (tools: ToolDefinition[], more: Partial<TurnRequest> = {}): TurnRequest => ({
  model: 'm',
  messages: [],
  tools,
  sampling: {},
  stream: false,
  ...more,
});

describe('hosted tools that the upstream cannot have', () => {
  it('are left out when the request can live without them', () => {
    const fitted = fitHostedTools(request([search, read]), 'openai-chat');
    expect(fitted.request.tools).toEqual([read]);
    expect(fitted.dropped).toEqual(['web_search']);
  });

  it('stay for the upstream that has them', () => {
    const asked = request([search, read]);
    expect(fitHostedTools(asked, 'openai-responses').request).toBe(asked);
  });

  it('stay, to be refused by name, when there is nothing else or one is forced', () => {
    const alone = request([search]);
    expect(fitHostedTools(alone, 'openai-chat').request).toBe(alone);
    const forced = request([search, read], {
      toolChoice: { type: 'tool', kind: 'hosted', name: 'web_search' },
    });
    expect(fitHostedTools(forced, 'openai-chat').request).toBe(forced);
  });
});
