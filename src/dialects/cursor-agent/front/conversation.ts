// A conversation as the protocol keeps it (ConversationStateStructure): everything that is longer than a few bytes is a
// blob. Fields that this version does not fill travel on as they came.
import { clone, create, toBinary } from '@bufbuild/protobuf';
import type { Message, Mode } from '../../../core/index.ts';
import {
  type ConversationStateStructure,
  ConversationStateStructureSchema,
  ConversationSummaryArchiveSchema,
  ConversationSummarySchema,
  ConversationTokenDetailsSchema,
} from '../../../gen/agent/v1/conversation_state_pb.ts';
import type { RunState } from '../../../native/remote-port.ts';
import type { ConversationBlobs } from './conversation-blobs.ts';
import { decodeMode, encodeMode } from './decode-mode.ts';
import { DisplayTurns } from './display-turns.ts';
import { findOpenRound, settleRound } from './open-calls.ts';
import { decodePromptMessage, encodePromptMessage, type PromptMessage } from './prompt-message.ts';
import { decodeRunState, encodeRunState } from './run-state.ts';

interface Entry extends PromptMessage {
  /** Known for what came from a state; made when first needed for what is new. */
  id?: Uint8Array;
}

export interface ConversationOptions {
  readonly state: ConversationStateStructure | undefined;
  readonly blobs: ConversationBlobs;
  readonly onDrift: (kind: string) => void;
}

export class Conversation {
  readonly turns: DisplayTurns;
  readonly #base: ConversationStateStructure;
  readonly #blobs: ConversationBlobs;
  #entries: Entry[] = [];
  /** A round whose calls have no results yet: the model's message and the results that are there. */
  #openRound: readonly Message[] = [];
  /** What tools keep in it. */
  runState: RunState = { todos: [] };
  mode: Mode;
  usedTokens: number;
  maxTokens: number;

  private constructor(state: ConversationStateStructure | undefined, blobs: ConversationBlobs) {
    this.#base = state
      ? clone(ConversationStateStructureSchema, state)
      : create(ConversationStateStructureSchema);
    this.#blobs = blobs;
    this.turns = new DisplayTurns(blobs, this.#base.turns);
    this.mode = decodeMode(this.#base.mode) ?? 'agent';
    this.usedTokens = this.#base.tokenDetails?.usedTokens ?? 0;
    this.maxTokens = this.#base.tokenDetails?.maxTokens ?? 0;
  }

  static async load({ state, blobs, onDrift }: ConversationOptions): Promise<Conversation> {
    const conversation = new Conversation(state, blobs);
    if (state) await conversation.#read(state, onDrift);
    return conversation;
  }

  /** Everything said so far, an open round included. */
  get messages(): Message[] {
    return [...this.#entries.map(({ message }) => message), ...this.#openRound];
  }

  get openMessages(): readonly Message[] {
    return this.#openRound;
  }

  get hasOpenRound(): boolean {
    return this.#openRound.length > 0;
  }

  /** The model has said its last word; there is nothing to take up. */
  get isAnswered(): boolean {
    return !this.hasOpenRound && this.#entries.at(-1)?.isAnswer === true;
  }

  get length(): number {
    return this.#entries.length;
  }

  append(...messages: readonly Message[]): void {
    this.#entries.push(...messages.map((message) => ({ message, isAnswer: false })));
  }

  /** The calls of this message are about to run. */
  openRound(message: Message): void {
    // A round that is taken up again may have some results already.
    this.#openRound = settleRound(this.#openRound, [message]);
  }

  /** A step is over: its round is settled, or it was the model's answer. */
  addStep(added: readonly Message[]): void {
    const messages = settleRound(this.#openRound, added);
    this.#openRound = [];
    for (const [index, message] of messages.entries()) {
      const isLast = index === messages.length - 1;
      const hasCalls = message.content.some((part) => part.type === 'tool-call');
      const isAnswer = isLast && message.role === 'assistant' && !hasCalls;
      this.#entries.push({ message, isAnswer });
    }
  }

  /**
   * The run is over, however it ended: nothing of it is taken up again before somebody says something.
   * False when that was already so.
   */
  markAnswered(): boolean {
    const last = this.#entries.at(-1);
    if (!last || last.isAnswer || this.hasOpenRound) return false;
    this.#entries.splice(-1, 1, { message: last.message, isAnswer: true });
    return true;
  }

  /** The conversation is now these messages; what was before is kept only in its archive. */
  replace(messages: readonly Message[]): void {
    const known = new Map(this.#entries.map((entry) => [entry.message, entry]));
    this.#openRound = [];
    this.#entries = messages.map((message) => known.get(message) ?? { message, isAnswer: false });
  }

  summarize(summary: string, messages: readonly Message[]): void {
    const summarized = this.#entries.map((entry) => this.#idOf(entry));
    this.replace(messages);
    const summaryMessage = this.#entries[0] ? this.#idOf(this.#entries[0]) : new Uint8Array();
    const windowTail = Math.max(0, messages.length - 1);
    const archive = create(ConversationSummaryArchiveSchema, {
      summarizedMessages: summarized,
      summary,
      windowTail,
      summaryMessage,
    });
    this.#base.summaryArchives.push(this.#blobs.add(toBinary(ConversationSummaryArchiveSchema, archive)));
    this.#base.summary = this.#blobs.add(
      toBinary(ConversationSummarySchema, create(ConversationSummarySchema, { summary })),
    );
    this.#base.selfSummaryCount++;
    this.#base.messageCountAtLastCompaction = messages.length;
  }

  /** The state as it stands; its new blobs wait in the blob store to be placed. */
  encode(): ConversationStateStructure {
    const state = clone(ConversationStateStructureSchema, this.#base);
    state.rootPromptMessagesJson = this.#entries.map((entry) => this.#idOf(entry));
    state.pendingToolCalls = this.#openRound.map((message) =>
      encodePromptMessage({ message, isAnswer: false }),
    );
    state.turns = this.turns.encode();
    const { todos, plan } = encodeRunState(this.runState, this.#blobs);
    state.todos = todos;
    if (plan) state.plan = plan;
    else delete state.plan;
    // A mode that we run as agent mode stays what it was called.
    if (decodeMode(state.mode) !== this.mode) state.mode = encodeMode(this.mode);
    if (this.usedTokens > 0 || this.maxTokens > 0) {
      const { usedTokens, maxTokens } = this;
      const details = state.tokenDetails ?? create(ConversationTokenDetailsSchema);
      state.tokenDetails = { ...details, usedTokens, maxTokens };
    }
    return state;
  }

  #idOf(entry: Entry): Uint8Array {
    entry.id ??= this.#blobs.add(Buffer.from(encodePromptMessage(entry), 'utf8'));
    return entry.id;
  }

  async #read(state: ConversationStateStructure, onDrift: (kind: string) => void): Promise<void> {
    const blobs = this.#blobs;
    const texts = await Promise.all(
      state.rootPromptMessagesJson.map(async (entry, index) => ({
        id: entry,
        json: utf8(await blobs.resolve(entry, `message ${index + 1} of the conversation`)),
      })),
    );
    for (const { id, json } of texts) {
      const prompt = decodePromptMessage(json, onDrift);
      // The prompt of another server speaks of another server's tools.
      if (!prompt || prompt.message.role === 'system')
        onDrift(prompt ? 'a foreign system prompt' : 'a prompt entry');
      else this.#entries.push({ ...prompt, ...(id.length === 32 ? { id } : {}) });
    }
    const pending = state.pendingToolCalls.flatMap(
      (json) => decodePromptMessage(json, onDrift)?.message ?? [],
    );
    this.#readOpenRound(pending);
    this.runState = await decodeRunState(state, blobs);
  }

  /** Open calls stand in `pending_tool_calls`, at the end of the messages, or in both. */
  #readOpenRound(pending: readonly Message[]): void {
    const inside = findOpenRound(this.#entries.map(({ message }) => message));
    this.#entries.length -= inside.length;
    this.#openRound = inside.length > 0 ? settleRound(inside, pending) : findOpenRound(pending);
  }
}

function utf8(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
}
