import { countingIds, type TurnEvent, type TurnRequest } from '../../src/core/index.ts';
import { createFronts } from '../../src/dialects/index.ts';
import { type ScriptedUpstream, startScriptedUpstream, startSse } from '../support/scripted-upstream.ts';

/** The upstream kinds that are reached over HTTP, each spoken by the front of the same name. */
export const HTTP_KINDS = ['openai-chat', 'openai-responses', 'anthropic-messages'] as const;

const ANSWER: readonly TurnEvent[] = [
  { type: 'turn-start', model: 'm' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', text: 'hello' },
  { type: 'text-end', id: 't' },
  { type: 'turn-end', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } },
];

/** A server that says hello in whichever dialect it is asked, and keeps what it was sent. */
export function startAnsweringUpstream(): Promise<ScriptedUpstream> {
  const fronts = createFronts().filter(({ dialect }) => HTTP_KINDS.some((kind) => kind === dialect));
  return startScriptedUpstream((response, seen) => {
    const front = fronts.find(({ turnPaths }) => turnPaths.includes(seen.path));
    if (!front) throw new Error(`nobody speaks ${seen.path} here`);
    const isStreamed = /"stream":\s*true/.test(seen.body);
    const request: TurnRequest = { model: 'm', messages: [], tools: [], sampling: {}, stream: isStreamed };
    const context = { turnId: 'turn', request, model: 'm', nowMs: 0, newId: countingIds() };
    if (isStreamed) return startSse(response).end(front.createEncoder(context).encode(ANSWER));
    const content = [{ type: 'text' as const, text: 'hello' }];
    const result = { content, finishReason: 'stop' as const, warnings: [], opaque: [] };
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify(front.encodeResult(result, context)));
  });
}
