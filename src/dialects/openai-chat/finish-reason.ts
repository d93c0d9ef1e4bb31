import { type FinishReason, GatewayError } from '../../core/index.ts';
import type { ChatFinishReason } from './schema.ts';

export interface SeenInTurn {
  readonly hasCalls: boolean;
  readonly hasRefusal: boolean;
}

// OpenAI's words first, then those of other servers that speak this dialect.
const REASONS: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>(
  Object.entries({
    stop: 'stop',
    length: 'length',
    tool_calls: 'tool-calls',
    content_filter: 'content-filter',
    function_call: 'tool-calls',
    eos: 'stop', // Together
    end_turn: 'stop', // gateways in front of Anthropic
    complete: 'stop', // Cohere
    tool_use: 'tool-calls', // gateways in front of Anthropic
    max_tokens: 'length',
    model_length: 'context-full', // Mistral: the context window, not the limit of the request
    refusal: 'refusal',
    stop_sequence: 'stop-sequence',
  }),
);

/** Words by which a server says that it failed: Mistral, DeepSeek, SGLang and vLLM. Not an end, an error. */
const FAILURES: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource', 'abort']);

export function findFinishProblem(word: string): GatewayError | undefined {
  if (!FAILURES.has(word)) return undefined;
  return new GatewayError(
    'upstream-unavailable',
    `The upstream gave up in the middle of its answer (${word}).`,
  );
}

/**
 * Several servers say `stop` although they sent calls, and some say `tool_calls` without having sent any:
 * what was sent decides.
 */
export function decodeFinishReason(word: string, seen: SeenInTurn): FinishReason {
  const reason = REASONS.get(word) ?? 'other';
  if (seen.hasCalls && (reason === 'stop' || reason === 'other')) return 'tool-calls';
  if (!seen.hasCalls && reason === 'tool-calls') return 'stop';
  if (reason === 'stop' && seen.hasRefusal) return 'refusal';
  return reason;
}

export function encodeFinishReason(reason: FinishReason, seen: SeenInTurn): ChatFinishReason {
  switch (reason) {
    case 'tool-calls':
      // Calls that ran elsewhere (hosted) are not the client's to answer.
      return seen.hasCalls ? 'tool_calls' : 'stop';
    case 'length':
    case 'context-full':
      return 'length';
    case 'content-filter':
      return 'content_filter';
    case 'refusal':
      return seen.hasRefusal ? 'stop' : 'content_filter';
    case 'stop':
    case 'stop-sequence':
    case 'pause':
    case 'other':
      return seen.hasCalls ? 'tool_calls' : 'stop';
    default:
      return reason satisfies never;
  }
}
