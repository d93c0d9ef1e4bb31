// POST /v1/responses/compact: a long conversation in, a short one out. The request and the frame of the answer are
// OpenAI's; how the summary is made and what its item holds is our own, since OpenAI's is encrypted.
import {
  GatewayError,
  type IdSource,
  invalidRequest,
  type JsonObject,
  type Message,
  type TurnRequest,
  type TurnResult,
  textOf,
} from '../../core/index.ts';
import { decodeRequestBody } from './decode-request.ts';
import { encodeInputContent } from './encode-parts.ts';
import { OPENAI_RESPONSES } from './schema.ts';
import { sealSummary } from './sealed-content.ts';
import { encodeUsage } from './usage.ts';

const ASK_FOR_SUMMARY = `The conversation above is about to be cut, and the work must go on from a summary alone.
Write that summary now. Say what the user wants, in their own terms; what has been done and what came of it; the facts
that were found out, with exact names, paths, numbers and commands; what was decided and why; what is still open and
what the next step is. Leave out greetings and dead ends. Do not call tools and do not answer the user: write only
the summary.`;

const SUMMARY_HEAD = 'Summary of the conversation so far:\n\n';

/** The body is that of a turn, without its options. References must have been resolved (stored-input.ts). */
export function decodeCompactRequest(body: JsonObject): TurnRequest {
  const request = decodeRequestBody({ ...body, stream: false });
  if (request.messages.every((message) => message.role === 'system' || message.role === 'developer')) {
    throw invalidRequest('`input` holds no conversation that could be compacted.', 'input');
  }
  return request;
}

/** The turn that makes the summary. The tools stay declared, since some servers refuse a history of unknown tools. */
export function buildSummaryTurn(request: TurnRequest): TurnRequest {
  const ask: Message = { role: 'user', content: [{ type: 'text', text: ASK_FOR_SUMMARY }] };
  const { output: _output, ...rest } = request;
  const { tool_choice: _choice, ...kept } = request.extra?.[OPENAI_RESPONSES] ?? {};
  const { tools } = request;
  return {
    ...rest,
    extra: { ...request.extra, [OPENAI_RESPONSES]: kept },
    messages: [...request.messages, ask],
    stream: false,
    store: false,
    ...(tools.length > 0 ? { toolChoice: { type: 'none' } } : {}),
  };
}

export interface CompactionContext {
  readonly request: TurnRequest;
  readonly nowMs: number;
  readonly newId: IdSource;
}

/** What the user said stays word for word; everything else is one `compaction` item that holds the summary. */
export function encodeCompaction(result: TurnResult, context: CompactionContext): JsonObject {
  const { request, nowMs, newId } = context;
  const summary = textOf(result.content).trim();
  if (summary === '') {
    throw new GatewayError(
      'upstream-malformed',
      `The model ended (${result.finishReason}) without a summary of the conversation. Try again or choose another model.`,
    );
  }
  const kept = request.messages.filter(isUserMessage).map((message) => ({
    id: message.id ?? newId('msg_'),
    type: 'message',
    status: 'completed',
    role: 'user',
    content: encodeInputContent(message.content),
  }));
  const compaction: JsonObject = {
    id: newId('cmp_'),
    type: 'compaction',
    encrypted_content: sealSummary(SUMMARY_HEAD + summary),
  };
  const usage = result.usage ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0, estimated: true };
  return {
    id: newId('resp_'),
    object: 'response.compaction',
    created_at: Math.floor(nowMs / 1000),
    output: [...kept, compaction],
    usage: encodeUsage(usage),
  };
}

/** The summary of an earlier compaction is replaced by the new one. */
function isUserMessage(message: Message): boolean {
  if (message.role !== 'user' || message.extra?.[OPENAI_RESPONSES]?.compaction !== undefined) return false;
  return message.content.some((part) => part.type !== 'opaque');
}
