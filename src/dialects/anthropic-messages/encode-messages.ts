// A conversation, canon to wire, under the rules the API enforces: user first, roles alternate, no empty content, every
// `tool_use` answered in the very next message, ids of letters, digits, `_` and `-` that occur once.
import type {
  JsonObject,
  Message,
  Part,
  ToolCallPart,
  ToolResultPart,
  TurnRequest,
  Warning,
} from '../../core/index.ts';
import { encodeCall, encodePart, encodeResult } from './encode-parts.ts';
import { ANTHROPIC_MESSAGES, messagesExtra } from './schema.ts';
import type { ToolNames } from './tool-names.ts';

export interface EncodedConversation {
  readonly system: JsonObject[];
  readonly messages: WireMessage[];
}

export type WireMessage = { role: 'user' | 'assistant' | 'system'; content: JsonObject[] };

interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly blocks: JsonObject[];
  readonly calls: CallRecord[];
  /** Made only to part two assistant turns; disappears when nothing is put into it. */
  readonly isSeam: boolean;
  extra: JsonObject | undefined;
}

interface CallRecord {
  readonly callId: string;
  readonly wireId: string;
  result?: ToolResultPart;
}

/** What a user turn says when it would say nothing: the API refuses empty turns and a history that begins otherwise. */
const FILLER = 'Go on.';
const NO_RESULT = 'No result was recorded for this call.';

export function encodeConversation(
  request: TurnRequest,
  names: ToolNames,
  warnings: Warning[],
): EncodedConversation {
  const conversation = new Conversation(names, warnings);
  // Instructions in mid-conversation keep their place only for clients that put them there in this dialect.
  const keepsPlace = messagesExtra(request) !== undefined;
  for (const message of request.messages) conversation.add(message, keepsPlace);
  return conversation.finish();
}

class Conversation {
  readonly #system: JsonObject[] = [];
  readonly #turns: Turn[] = [];
  readonly #usedIds = new Set<string>();
  readonly #names: ToolNames;
  readonly #warnings: Warning[];

  constructor(names: ToolNames, warnings: Warning[]) {
    this.#names = names;
    this.#warnings = warnings;
  }

  add(message: Message, keepsSystemPlace: boolean): void {
    switch (message.role) {
      case 'system':
      case 'developer': {
        const blocks = this.#encode(message.content);
        if (!keepsSystemPlace || this.#turns.length === 0) this.#system.push(...blocks);
        else if (blocks.length > 0) this.#open('system', message).blocks.push(...blocks);
        return;
      }
      case 'tool':
        this.#addResults(message);
        return;
      case 'user': {
        const turn = this.#open('user', message);
        turn.blocks.push(...this.#encode(message.content));
        return;
      }
      case 'assistant': {
        const turn = this.#open('assistant', message);
        for (const part of message.content) {
          if (part.type === 'tool-call') this.#addCall(turn, part);
          else turn.blocks.push(...encodePart(part, this.#warnings));
        }
        return;
      }
      default:
        message.role satisfies never;
    }
  }

  finish(): EncodedConversation {
    const messages: WireMessage[] = [];
    const append = (role: WireMessage['role'], content: readonly JsonObject[], extra?: JsonObject) => {
      const last = messages.at(-1);
      if (last?.role === role) Object.assign(last, extra).content.push(...content);
      else messages.push({ ...extra, role, content: [...content] });
    };
    for (const turn of this.#turns) {
      // An empty user turn next to results is no turn of its own.
      const isAnswering = messages.at(-1)?.role === 'user';
      if (turn.blocks.length > 0) append(turn.role, turn.blocks, turn.extra);
      else if (turn.role === 'user' && !turn.isSeam && !isAnswering) append('user', [fillerBlock()]);
      if (turn.calls.length > 0)
        append(
          'user',
          turn.calls.map((call) => this.#encodeAnswer(call)),
        );
    }
    if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: [fillerBlock()] });
    trimPrefill(messages.at(-1));
    return { system: this.#system, messages };
  }

  #encode(parts: readonly Part[]): JsonObject[] {
    return parts.flatMap((part) => encodePart(part, this.#warnings));
  }

  #open(role: Turn['role'], message?: Message): Turn {
    const extra = message?.extra?.[ANTHROPIC_MESSAGES];
    const last = this.#turns.at(-1);
    if (last?.role === role && !last.isSeam) {
      if (extra) last.extra = { ...last.extra, ...extra };
      return last;
    }
    const turn: Turn = { role, blocks: [], calls: [], isSeam: message === undefined, extra };
    this.#turns.push(turn);
    return turn;
  }

  #addCall(turn: Turn, call: ToolCallPart): void {
    if (call.kind === 'hosted') {
      // Another vendor ran it; neither the call nor its result means anything here.
      const message = `The hosted call ${call.name} was left out of the history.`;
      this.#warnings.push({ type: 'warning', code: 'part-dropped', message });
      return;
    }
    const wireId = this.#newWireId(call.callId);
    turn.calls.push({ callId: call.callId, wireId });
    turn.blocks.push(encodeCall(call, wireId, this.#names.wireName(call)));
  }

  /** The same id for call and result, since both are made from one record. Models that count from 0 repeat ids. */
  #newWireId(callId: string): string {
    const clean = callId.replace(/[^A-Za-z0-9_-]/g, '_') || 'call';
    let wireId = clean;
    for (let count = 2; this.#usedIds.has(wireId); count++) wireId = `${clean}_${count}`;
    this.#usedIds.add(wireId);
    return wireId;
  }

  #addResults(message: Message): void {
    const others: Part[] = [];
    for (const part of message.content) {
      if (part.type === 'tool-result') this.#attach(part);
      else others.push(part);
    }
    const seam = this.#turns.at(-1)?.role === 'assistant' ? this.#open('user') : undefined;
    if (others.length > 0) (seam ?? this.#open('user')).blocks.push(...this.#encode(others));
  }

  /** To the latest call of that id; a second result replaces the first; a result without a call is left out. */
  #attach(result: ToolResultPart): void {
    const turn = this.#turns.findLast(({ calls }) => calls.some(({ callId }) => callId === result.callId));
    const records = turn?.calls.filter(({ callId }) => callId === result.callId) ?? [];
    const record = records.find((candidate) => candidate.result === undefined) ?? records.at(-1);
    if (record) record.result = result;
    else {
      const message = `A result for the unknown call ${result.callId} was left out of the history.`;
      this.#warnings.push({ type: 'warning', code: 'part-dropped', message });
    }
  }

  #encodeAnswer({ wireId, result }: CallRecord): JsonObject {
    if (result) return encodeResult(result, wireId, this.#warnings);
    return { type: 'tool_result', tool_use_id: wireId, content: NO_RESULT, is_error: true };
  }
}

function fillerBlock(): JsonObject {
  return { type: 'text', text: FILLER };
}

/** An answer begun by the client must not end in white space. */
function trimPrefill(message: WireMessage | undefined): void {
  const block = message?.role === 'assistant' ? message.content.at(-1) : undefined;
  if (block?.type === 'text' && typeof block.text === 'string') block.text = block.text.trimEnd();
}
