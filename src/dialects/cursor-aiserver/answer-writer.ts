// What a run tells, as messages of aiserver.v1. Every field of `StreamUnifiedChatResponse` is independent; one message
// carries one of them. Thinking ends with a chunk that has the signature (or the sealed text) and says that it is last.
import { create } from '@bufbuild/protobuf';
import {
  type AgentEvent,
  type IdSource,
  type Message,
  type RunEndReason,
  type TurnEvent,
  textOf,
  type Usage,
} from '../../core/index.ts';
import { StreamStartSchema } from '../../gen/aiserver/v1/chat_response_pb.ts';
import { ConversationSummarySchema } from '../../gen/aiserver/v1/common_pb.ts';
import type { CallWriter } from './call-writer.ts';
import { type ChatResponseInit, chatResponse, type ResponseStream, wrap } from './response-stream.ts';
import { sealThought } from './thought-seal.ts';
import type { ToolShelf } from './tool-shelf.ts';

/** Endings that the model did not choose; the client learns them as text, since the wire has no word for them. */
const END_TEXTS: Readonly<Partial<Record<RunEndReason, string>>> = {
  'step-limit': 'the limit of steps was reached',
  'time-limit': 'the time limit was reached',
  'token-limit': 'the token limit was reached',
  'spend-limit': 'the spending limit was reached',
  'no-progress': 'the model made no progress',
  length: 'the model reached the end of its output',
  'content-filter': 'the provider filtered the answer',
};

export interface AnswerWriterOptions {
  readonly stream: ResponseStream;
  readonly calls: CallWriter;
  readonly shelf: ToolShelf;
  readonly newId: IdSource;
  /** How many tokens the model takes; undefined when nobody knows. */
  readonly contextWindow: () => Promise<number | undefined>;
  /** The ids of the client's bubbles, in their order. */
  readonly bubbleIds: readonly string[];
  readonly onDrift: (kind: string) => void;
}

type Running = { readonly kind: 'text' | 'thinking'; text: string };

export class AnswerWriter {
  readonly #options: AnswerWriterOptions;
  readonly #forms = new Map<string, 'raw' | 'summary' | 'redacted'>();
  #running: Running | undefined;
  #callsInRound = 0;

  constructor(options: AnswerWriterOptions) {
    this.#options = options;
    options.calls.startStep(options.newId('model_call_'));
  }

  async start(): Promise<void> {
    await this.#options.stream.send(wrap({ case: 'streamStart', value: create(StreamStartSchema) }));
    await this.#say({ usageUuid: this.#options.newId('usage_') });
  }

  async write(event: AgentEvent): Promise<void> {
    const { calls, newId } = this.#options;
    switch (event.type) {
      case 'step-start':
        return calls.startStep(newId('model_call_'));
      case 'turn-events':
        for (const one of event.events) await this.#writeTurnEvent(one);
        await this.#flushText();
        return calls.flush();
      case 'round-open':
        this.#callsInRound = event.calls.length;
        return;
      case 'call-end': {
        const [said] = event.result.content;
        return calls.refuse(event.call.callId, said?.type === 'text' ? said.text : 'The call was not run.');
      }
      case 'step-end':
        if (this.#callsInRound > 1) await this.#say({ parallelToolCallsComplete: true });
        this.#callsInRound = 0;
        return this.#sayContext(event.usage);
      case 'compaction-start':
        return this.#say({
          serviceStatusUpdate: { message: 'Summarizing the conversation…', codicon: 'sync' },
        });
      case 'compaction-end':
        return this.#saySummary(event.summary, event.messages);
      case 'run-end':
        return this.#sayEnd(event.reason, event.explanation);
      case 'call-start':
      case 'call-progress':
      case 'hint':
      case 'run-error':
        return;
      default:
        return event satisfies never;
    }
  }

  async #writeTurnEvent(event: TurnEvent): Promise<void> {
    const { calls, shelf } = this.#options;
    switch (event.type) {
      case 'text-delta':
        return this.#run('text', event.text);
      case 'reasoning-start':
        this.#forms.set(event.id, event.form);
        return;
      case 'reasoning-delta':
        return this.#run('thinking', event.text);
      case 'reasoning-end':
        return this.#endThinking(event);
      case 'tool-input-start': {
        await this.#flushText();
        const tool = shelf.find(event.name);
        if (tool) await calls.begin(event.callId, tool);
        return;
      }
      case 'tool-input-delta':
        return calls.append(event.callId, event.text);
      case 'media-start':
        return this.#options.onDrift(`media-start ${event.kind}`);
      default:
        return; // spans that need no words here, and counts that are told at the end of a step
    }
  }

  /** Pieces that came together leave together. */
  async #run(kind: Running['kind'], text: string): Promise<void> {
    if (this.#running && this.#running.kind !== kind) await this.#flushText();
    this.#running ??= { kind, text: '' };
    this.#running.text += text;
  }

  async #flushText(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined || running.text === '') return;
    const { text } = running;
    await this.#say(running.kind === 'text' ? { text } : { thinking: { text } });
  }

  async #endThinking(event: Extract<TurnEvent, { type: 'reasoning-end' }>): Promise<void> {
    await this.#flushText();
    const form = this.#forms.get(event.id) ?? 'raw';
    const sealed = sealThought({ ...event, form });
    const proof = form === 'redacted' ? { redactedThinking: sealed } : { signature: sealed };
    await this.#say({ thinking: { ...proof, isLastThinkingChunk: true } });
  }

  async #sayContext(usage: Usage | undefined): Promise<void> {
    const tokenLimit = usage && (await this.#options.contextWindow());
    if (usage === undefined || tokenLimit === undefined || tokenLimit <= 0) return;
    const tokensUsed = usage.inputTokens + usage.outputTokens;
    const remaining = Math.min(100, Math.max(0, 100 * (1 - tokensUsed / tokenLimit)));
    await this.#say({
      contextWindowStatus: {
        percentageRemaining: Math.round(remaining),
        percentageRemainingFloat: remaining,
        tokensUsed,
        tokenLimit,
      },
    });
  }

  /** Tells the client from which bubble on it must send the conversation; the summary stands for the rest. */
  async #saySummary(summary: string, messages: readonly Message[]): Promise<void> {
    const { bubbleIds, stream } = this.#options;
    // A conversation may also be made shorter by leaving things out; then there is nothing that stands for them.
    if (!messages.some(({ id, content }) => id === undefined && textOf(content).includes(summary))) return;
    const kept = new Set(messages.map(({ id }) => id));
    const first = bubbleIds.findIndex((id) => kept.has(id));
    const last = bubbleIds[first < 0 ? bubbleIds.length - 1 : first - 1];
    if (last === undefined) return;
    const value = create(ConversationSummarySchema, {
      summary,
      truncationLastBubbleIdInclusive: last,
      clientShouldStartSendingFromInclusiveBubbleId: bubbleIds[first] ?? '',
      includesToolResults: true,
    });
    await stream.send(wrap({ case: 'conversationSummary', value }));
  }

  async #sayEnd(reason: RunEndReason, explanation: string | undefined): Promise<void> {
    const words = END_TEXTS[reason];
    if (words === undefined) return;
    const text = explanation ?? `The run stopped: ${words}.`;
    await this.#say({ text: `\n\n[${text}]` });
    await this.#say({ serviceStatusUpdate: { message: text, codicon: 'warning' } });
  }

  async #say(fields: ChatResponseInit): Promise<void> {
    await this.#options.stream.send(chatResponse(fields));
  }
}
