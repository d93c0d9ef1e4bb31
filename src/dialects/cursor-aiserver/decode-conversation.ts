// aiserver.v1 `ConversationMessage[]` → messages. Known from public reconstructions and from what gateways of that
// lineage send: a finished call stands in an AI message of its own behind the text, one message per call; calls of one
// model turn share `model_call_id`. Guessed: that calls without one were made one after the other.
import {
  invalidRequest,
  isJsonObject,
  type JsonValue,
  type Message,
  omitUndefined,
  type Part,
  type ReasoningPart,
  type ToolCallPart,
  type ToolResultPart,
  userMessage,
} from '../../core/index.ts';
import {
  type ConversationMessage,
  type ConversationMessage_Thinking,
  ConversationMessage_MessageType as MessageType,
  type StreamUnifiedChatRequest,
} from '../../gen/aiserver/v1/chat_request_pb.ts';
import type { ConversationSummary } from '../../gen/aiserver/v1/common_pb.ts';
import { contextBlock } from './context-block.ts';
import { decodeImages } from './decode-images.ts';
import { decodeHistoryCall, type HistoryCall, type HistoryCodec } from './decode-tool-result.ts';
import { renderMessageContext } from './message-context.ts';
import { renderRequestContext } from './request-context.ts';
import { openThought } from './thought-seal.ts';

/** The conversation that a request asks to continue; each message bears the id of its first bubble. */
export function decodeConversation(request: StreamUnifiedChatRequest, codec: HistoryCodec): Message[] {
  const { summary, bubbles } = applySummary(request);
  const lastUser = bubbles.findLastIndex(isUser);
  const draft = new AssistantDraft();
  const messages: Message[] = summary === undefined ? [] : [summaryMessage(summary)];
  for (const [index, bubble] of bubbles.entries()) {
    if (isUser(bubble)) {
      messages.push(...draft.flush());
      const context = index === lastUser ? renderRequestContext(request, codec.onDrift) : [];
      messages.push(...decodeUser(bubble, context, codec.onDrift));
    } else {
      const calls = bubble.toolResults.map((entry, place) =>
        decodeHistoryCall(entry, `${index}_${place}`, codec),
      );
      messages.push(...draft.add(bubble, calls));
    }
  }
  messages.push(...draft.flush());
  if (messages.length === 0) {
    throw invalidRequest(
      'The conversation is empty: send at least one message of the user in `conversation`.',
      'conversation',
    );
  }
  return carryOn(request.isResume === true ? messages : closeOpenCalls(messages));
}

/** A client that ends with the model's own words wants more of them. */
function carryOn(messages: readonly Message[]): Message[] {
  const last = messages.at(-1);
  const hasLastWord = last?.role === 'assistant' && !last.content.some((part) => part.type === 'tool-call');
  return hasLastWord ? [...messages, userMessage('Continue.')] : [...messages];
}

/** A message of no type is somebody's who knows no types: the user's. */
function isUser({ type }: ConversationMessage): boolean {
  return type !== MessageType.AI;
}

/** The newest summary stands for everything up to the bubble that it names. */
function applySummary(request: StreamUnifiedChatRequest): {
  readonly summary: ConversationSummary | undefined;
  readonly bubbles: readonly ConversationMessage[];
} {
  const bubbles = request.conversation;
  const carried = bubbles.map((one) => one.conversationSummary ?? one.cachedConversationSummary);
  const summary = [...carried, request.conversationSummary].findLast(
    (one) => one !== undefined && one.summary !== '',
  );
  const last = summary?.truncationLastBubbleIdInclusive;
  const covered = last ? bubbles.findIndex(({ bubbleId }) => bubbleId === last) : -1;
  return { summary, bubbles: bubbles.slice(covered + 1) };
}

function summaryMessage({ summary }: ConversationSummary): Message {
  const text = contextBlock('summary_of_the_conversation_so_far', summary);
  return { role: 'user', content: [{ type: 'text', text }] };
}

function decodeUser(
  bubble: ConversationMessage,
  requestContext: readonly string[],
  onDrift: (kind: string) => void,
): Message[] {
  const context = [...renderMessageContext(bubble, onDrift), ...requestContext];
  const texts = [saidText(bubble, onDrift), context.join('\n\n')].filter((text) => text !== '');
  const content: Part[] = [
    ...texts.map((text) => ({ type: 'text' as const, text })),
    ...decodeImages(bubble.images, onDrift),
  ];
  return content.length === 0 ? [] : [withId({ role: 'user', content }, bubble)];
}

function saidText(bubble: ConversationMessage, onDrift: (kind: string) => void): string {
  if (bubble.text !== '') return bubble.text;
  const rich = bubble.richText ? plainText(bubble.richText) : '';
  if (rich !== '' || !bubble.textBlobId?.length) return rich;
  onDrift('ConversationMessage.textBlobId');
  return '[The text of this message was sent as a reference that this server cannot follow.]';
}

/** The editor's own form is a tree of JSON whose leaves have a `text`. */
function plainText(richText: string): string {
  let tree: JsonValue;
  try {
    tree = JSON.parse(richText);
  } catch {
    return richText;
  }
  const pieces: string[] = [];
  const waiting: JsonValue[] = [tree];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (Array.isArray(node)) waiting.push(...node.toReversed());
    else if (!isJsonObject(node)) continue;
    else if (typeof node.text === 'string') pieces.push(node.text);
    else waiting.push(...Object.values(node).reverse());
  }
  return pieces.join('');
}

/** Collects the bubbles that were one answer of the model. */
class AssistantDraft {
  #content: Part[] = [];
  #calls: ToolCallPart[] = [];
  #results: ToolResultPart[] = [];
  #modelCallId: string | undefined;
  #first: ConversationMessage | undefined;

  /** Returns what was complete before this bubble. */
  add(bubble: ConversationMessage, calls: readonly HistoryCall[]): Message[] {
    const said: Part[] = [
      ...decodeThinking(bubble),
      ...(bubble.text === '' ? [] : [{ type: 'text' as const, text: bubble.text }]),
    ];
    const modelCallId = calls.find((call) => call.modelCallId)?.modelCallId;
    const before = this.#continues(said, calls, modelCallId) ? [] : this.flush();
    this.#first ??= bubble;
    this.#modelCallId ??= modelCallId;
    this.#content.push(...said);
    for (const { call, result } of calls) {
      this.#calls.push(call);
      if (result) this.#results.push(result);
    }
    return before;
  }

  flush(): Message[] {
    const content = [...this.#content, ...this.#calls];
    const results = this.#results;
    const first = this.#first;
    this.#content = [];
    this.#calls = [];
    this.#results = [];
    this.#modelCallId = undefined;
    this.#first = undefined;
    if (!first || content.length === 0) return [];
    const message = withId({ role: 'assistant', content }, first);
    return results.length === 0 ? [message] : [message, { role: 'tool', content: results }];
  }

  #continues(said: readonly Part[], calls: readonly HistoryCall[], modelCallId: string | undefined): boolean {
    if (calls.length === 0 || said.length > 0) return false;
    return this.#calls.length === 0 || (modelCallId !== undefined && modelCallId === this.#modelCallId);
  }
}

function decodeThinking({ allThinkingBlocks, thinking }: ConversationMessage): ReasoningPart[] {
  const blocks = allThinkingBlocks.length > 0 ? allThinkingBlocks : thinking ? [thinking] : [];
  return blocks.flatMap((block) => decodeThought(block));
}

function decodeThought({ text, signature, redactedThinking }: ConversationMessage_Thinking): ReasoningPart[] {
  if (redactedThinking !== '') {
    return [{ type: 'reasoning', text, ...openThought(redactedThinking, 'redacted') }];
  }
  if (text === '' && signature === '') return [];
  return [{ type: 'reasoning', text, ...openThought(signature, 'raw') }];
}

/** Only a client that says so wants its open calls run; another one lost them, and they may have taken effect. */
function closeOpenCalls(messages: readonly Message[]): Message[] {
  const index = messages.findLastIndex(({ role }) => role !== 'tool');
  const message = messages[index];
  const answer = messages[index + 1]?.content ?? [];
  const answered = new Set(answer.map((part) => (part.type === 'tool-result' ? part.callId : '')));
  const open = (message?.role === 'assistant' ? message.content : []).filter(
    (part): part is ToolCallPart => part.type === 'tool-call' && !answered.has(part.callId),
  );
  if (open.length === 0) return [...messages];
  const lost = open.map(({ callId, name }): ToolResultPart => {
    const text = 'The client has no result for this call. It is unknown whether it took effect; check first.';
    return { type: 'tool-result', callId, name, content: [{ type: 'text', text }], isError: true };
  });
  return [...messages.slice(0, index + 1), { role: 'tool', content: [...answer, ...lost] }];
}

function withId(message: Message, { bubbleId }: ConversationMessage): Message {
  return omitUndefined({ ...message, id: bubbleId === '' ? undefined : bubbleId });
}
