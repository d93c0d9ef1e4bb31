// Opens and closes spans for the items of one answer. Deltas, `.done` events, finished items and the final response
// all repeat the same text; only what was not said yet becomes an event, whichever of them a server leaves out.
import {
  type IdSource,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type ReasoningEnd,
  ToolInputs,
  type TurnEvent,
} from '../../core/index.ts';
import { thoughtSpanId } from './thought-span-id.ts';
import type { ToolKey } from './wire-names.ts';

export type ProseKind = 'text' | 'refusal' | 'summary' | 'raw';

/** One piece of text inside an item: a content part or a paragraph of a summary. */
interface ProsePart {
  readonly kind: ProseKind;
  readonly itemId: string | undefined;
  readonly annotations: JsonValue[];
  /** How many characters of it have been said. */
  said: number;
  spanId: string | undefined;
}

export interface ItemState {
  readonly id: string | undefined;
  readonly type: string;
  readonly parts: Map<string, ProsePart>;
  callId?: string;
  isDone: boolean;
}

export interface ItemSpansOptions {
  readonly newId: IdSource;
  readonly originOf: (wireName: string) => ToolKey | undefined;
}

export class ItemSpans {
  readonly #options: ItemSpansOptions;
  readonly #tools = new ToolInputs();
  readonly #byIndex = new Map<number, ItemState>();
  readonly #byId = new Map<string, ItemState>();
  readonly #usedCallIds = new Set<string>();
  #prose: ProsePart | undefined;
  #spanCount = 0;
  #finishedCalls = 0;
  #hasRefusal = false;

  constructor(options: ItemSpansOptions) {
    this.#options = options;
  }

  get hasCalls(): boolean {
    return this.#finishedCalls > 0;
  }
  get hasRefusal(): boolean {
    return this.#hasRefusal;
  }
  /** Something of the answer has been seen. */
  get hasItems(): boolean {
    return this.#byIndex.size > 0 || this.#byId.size > 0;
  }

  /** By position first: some servers give an item another id in every event. */
  find(index: JsonValue | undefined, id: JsonValue | undefined): ItemState | undefined {
    const byIndex = typeof index === 'number' ? this.#byIndex.get(index) : undefined;
    return byIndex ?? (typeof id === 'string' ? this.#byId.get(id) : undefined);
  }

  /** An item of the final list, which may leave out or renumber what the stream held. */
  findFinal(index: number, item: JsonObject): ItemState | undefined {
    const byId = typeof item.id === 'string' ? this.#byId.get(item.id) : undefined;
    if (byId) return byId;
    if (typeof item.call_id === 'string') {
      for (const state of this.#byIndex.values()) if (state.callId === item.call_id) return state;
    }
    const byIndex = this.#byIndex.get(index);
    return byIndex?.type === item.type ? byIndex : undefined;
  }

  add(type: string, index: JsonValue | undefined, id: JsonValue | undefined): ItemState {
    const itemId = typeof id === 'string' && id !== '' ? id : undefined;
    const state: ItemState = { id: itemId, type, parts: new Map(), isDone: false };
    if (typeof index === 'number') this.#byIndex.set(index, state);
    if (itemId !== undefined) this.#byId.set(itemId, state);
    return state;
  }

  part(item: ItemState, key: string, kind: ProseKind): ProsePart {
    let part = item.parts.get(key);
    if (!part) {
      part = { kind, itemId: item.id, annotations: [], said: 0, spanId: undefined };
      item.parts.set(key, part);
      if (kind === 'refusal') this.#hasRefusal = true;
    }
    return part;
  }

  /** At most one stretch of text is open at a time, as in every other dialect. */
  open(part: ProsePart, out: TurnEvent[]): string {
    if (part.spanId !== undefined) return part.spanId;
    this.closeProse(out);
    const isThought = part.kind === 'summary' || part.kind === 'raw';
    const id = isThought ? this.#thoughtId(part.itemId) : `p${this.#spanCount++}`;
    part.spanId = id;
    this.#prose = part;
    if (part.kind === 'text') out.push({ type: 'text-start', id });
    else if (part.kind === 'refusal') out.push({ type: 'text-start', id, form: 'refusal' });
    else out.push({ type: 'reasoning-start', id, form: part.kind });
    return id;
  }

  say(part: ProsePart, text: string, logprobs: JsonValue | undefined, out: TurnEvent[]): void {
    const id = this.open(part, out);
    if (text === '') return;
    part.said += text.length;
    if (part.kind === 'summary' || part.kind === 'raw') out.push({ type: 'reasoning-delta', id, text });
    else if (logprobs === undefined) out.push({ type: 'text-delta', id, text });
    else out.push({ type: 'text-delta', id, text, logprobs });
  }

  /** `text` is the whole of the part; says what is missing. */
  sayRest(
    part: ProsePart,
    text: JsonValue | undefined,
    logprobs: JsonValue | undefined,
    out: TurnEvent[],
  ): void {
    if (typeof text !== 'string' || text.length <= part.said) return;
    this.say(part, text.slice(part.said), part.said === 0 ? logprobs : undefined, out);
  }

  closePart(part: ProsePart, out: TurnEvent[]): void {
    if (part.spanId !== undefined && part === this.#prose) this.closeProse(out);
  }

  closeProse(out: TurnEvent[]): void {
    const part = this.#prose;
    if (part?.spanId === undefined) return;
    const id = part.spanId;
    const { kind, annotations } = part;
    this.#prose = undefined;
    part.spanId = undefined;
    if (kind === 'summary' || kind === 'raw') out.push({ type: 'reasoning-end', id });
    else out.push(annotations.length > 0 ? { type: 'text-end', id, annotations } : { type: 'text-end', id });
  }

  /** Ends a thought with what proves it; a proof without text makes a span of its own. */
  endReasoning(item: ItemState, proof: Omit<ReasoningEnd, 'type' | 'id'>, out: TurnEvent[]): void {
    const open = this.#prose;
    const isOpen = open?.spanId !== undefined && [...item.parts.values()].includes(open);
    if (isOpen && open.spanId !== undefined) {
      out.push({ type: 'reasoning-end', id: open.spanId, ...proof });
      open.spanId = undefined;
      this.#prose = undefined;
    } else if (proof.encrypted !== undefined || proof.signature !== undefined) {
      this.closeProse(out);
      const id = this.#thoughtId(item.id);
      out.push({ type: 'reasoning-start', id, form: 'redacted' }, { type: 'reasoning-end', id, ...proof });
    }
  }

  #thoughtId(itemId: string | undefined): string {
    return thoughtSpanId(itemId, this.#spanCount++);
  }

  /** Waits for the name: without one there is nothing to start. */
  startCall(item: ItemState, wire: JsonObject, out: TurnEvent[]): void {
    if (item.callId !== undefined || typeof wire.name !== 'string' || wire.name === '') return;
    const wireId = [wire.call_id, wire.id].find((id) => typeof id === 'string' && id !== '');
    const isFree = typeof wireId === 'string' && !this.#usedCallIds.has(wireId);
    const callId = isFree ? wireId : this.#options.newId('call_');
    item.callId = callId;
    this.#usedCallIds.add(callId);
    const origin = this.#options.originOf(wire.name);
    const namespace = typeof wire.namespace === 'string' ? wire.namespace : undefined;
    this.closeProse(out);
    this.#tools.start(
      omitUndefined({
        callId,
        name: origin?.name ?? wire.name,
        kind: item.type === 'custom_tool_call' ? ('custom' as const) : ('function' as const),
        namespace: origin?.namespace ?? namespace,
        itemId: item.id,
      }),
      out,
    );
  }

  appendInput(item: ItemState, text: JsonValue | undefined, out: TurnEvent[]): void {
    if (item.callId === undefined || item.isDone || typeof text !== 'string') return;
    this.#tools.append(item.callId, text, out);
  }

  /** `value` is the whole input. A server that contradicts its own deltas is not believed twice. */
  appendInputRest(item: ItemState, value: JsonValue | undefined, out: TurnEvent[]): void {
    if (item.callId === undefined || item.isDone || value === undefined || value === null) return;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const soFar = this.#tools.textSoFar(item.callId);
    if (text.startsWith(soFar)) this.#tools.append(item.callId, text.slice(soFar.length), out);
  }

  finishCall(item: ItemState, out: TurnEvent[]): void {
    if (item.callId === undefined || item.isDone) return;
    item.isDone = true;
    this.#finishedCalls++;
    this.#tools.finish(item.callId, out);
  }

  media(data: string, mediaType: string, item: JsonObject, dialect: string, out: TurnEvent[]): void {
    this.closeProse(out);
    const id = `p${this.#spanCount++}`;
    const { result: _result, ...rest } = item;
    out.push(
      { type: 'media-start', id, kind: 'image', mediaType },
      { type: 'media-delta', id, data },
      { type: 'media-end', id, extra: { [dialect]: { item: rest } } },
    );
  }

  /** The answer is whole: every open call becomes a call. */
  complete(out: TurnEvent[]): void {
    this.closeProse(out);
    this.#finishedCalls += this.#tools.openCallIds.length;
    this.#tools.finishAll(out);
  }

  /** The answer was cut: unfinished calls do not become calls. */
  abort(out: TurnEvent[]): void {
    this.closeProse(out);
    this.#tools.abortAll(out);
  }
}

/** The parts of a list on the wire, each with its position. */
export function objectsOf(value: JsonValue | undefined): [index: number, part: JsonObject][] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((part, index) => (isJsonObject(part) ? [[index, part] as [number, JsonObject]] : []));
}
