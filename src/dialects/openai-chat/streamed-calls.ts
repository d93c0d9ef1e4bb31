// The tool calls of one streamed chat answer. OpenAI sends id, type and name in the first delta and an index in
// every one; servers that speak its dialect leave out, repeat or split each of these, and all of that is read here.
import {
  GatewayError,
  type IdSource,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_ARGUMENT_CHARACTERS,
  omitUndefined,
  type TurnEvent,
  type TurnSpans,
} from '../../core/index.ts';
import { restoreRawText } from './lowered-tool.ts';
import type { ToolOrigin } from './tool-names.ts';

interface Slot {
  /** The id the upstream gave; the call's own id differs when that one was missing or taken. */
  wireId: string | undefined;
  callId: string | undefined;
  wireName: string;
  isCustom: boolean;
  isLowered: boolean;
  isClosed: boolean;
  /** Text that waits: for the name, or (lowered calls) for its end. */
  held: string[];
  heldLength: number;
}

export class StreamedCalls {
  readonly #spans: TurnSpans;
  readonly #origins: ReadonlyMap<string, ToolOrigin>;
  readonly #newId: IdSource;
  readonly #byIndex = new Map<number | 'legacy', Slot>();
  readonly #slots: Slot[] = [];
  readonly #usedIds = new Set<string>();

  constructor(spans: TurnSpans, origins: ReadonlyMap<string, ToolOrigin>, newId: IdSource) {
    this.#spans = spans;
    this.#origins = origins;
    this.#newId = newId;
  }

  /** True once a call has begun for the client to see, or something arrived that wants to be one. */
  get hasAny(): boolean {
    return this.#slots.some(
      (slot) => slot.callId !== undefined || slot.heldLength > 0 || slot.wireName !== '',
    );
  }

  delta(value: JsonObject, out: TurnEvent[]): void {
    const isCustom = value.type === 'custom' || isJsonObject(value.custom);
    const inner = isCustom ? value.custom : value.function;
    const fields = isJsonObject(inner) ? inner : {};
    const id = nonEmpty(value.id);
    const name = nonEmpty(fields.name);
    const slot = this.#find(value, id, name);
    if (isCustom) slot.isCustom = true;
    this.#feed(slot, id, name, argumentText(isCustom ? fields.input : fields.arguments), out);
  }

  legacyDelta(value: JsonObject, out: TurnEvent[]): void {
    const slot = this.#byIndex.get('legacy') ?? this.#add('legacy');
    this.#feed(slot, undefined, nonEmpty(value.name), argumentText(value.arguments), out);
  }

  /**
   * The answer is over. With `isCut` (the output limit was met), a call whose text is no complete JSON is no call.
   * Returns how many calls came through.
   */
  finish(isCut: boolean, out: TurnEvent[]): number {
    let finished = 0;
    const last = this.#slots.at(-1);
    for (const slot of this.#slots) {
      if (slot.isClosed) continue;
      if (slot.callId === undefined && !this.#start(slot, out)) continue;
      slot.isClosed = true;
      const { callId } = slot;
      if (callId === undefined) continue;
      const text = slot.isLowered ? slot.held.join('') : this.#spans.tools.textSoFar(callId);
      // Free text has no end mark: of several custom calls only the last can have been cut.
      const isWhole = slot.isCustom ? slot !== last : isCompleteJson(text);
      if (isCut && !isWhole) continue;
      if (slot.isLowered) this.#spans.tools.append(callId, restoreRawText(text), out);
      this.#spans.tools.finish(callId, out);
      finished++;
    }
    this.#spans.tools.abortAll(out);
    return finished;
  }

  /** True when some open function call has text that is not JSON yet. */
  hasIncomplete(): boolean {
    return this.#slots.some((slot) => {
      if (slot.isClosed || slot.isCustom || slot.callId === undefined) return false;
      const text = slot.isLowered ? slot.held.join('') : this.#spans.tools.textSoFar(slot.callId);
      return text !== '' && !isCompleteJson(text);
    });
  }

  #find(value: JsonObject, id: string | undefined, name: string | undefined): Slot {
    if (typeof value.index === 'number') {
      const slot = this.#byIndex.get(value.index);
      if (!slot) return this.#findMisnumbered(id, name) ?? this.#add(value.index);
      // Some servers number every call 0: a new id together with a name is a new call. A new id alone is not,
      // since others make up an id for each delta.
      const isOther =
        id !== undefined && slot.wireId !== undefined && slot.wireId !== id && name !== undefined;
      return isOther ? this.#add(value.index) : slot;
    }
    const last = this.#slots.at(-1);
    if (id !== undefined) {
      const known = this.#slots.find((slot) => slot.wireId === id);
      if (known) return known;
      const isWaiting = last !== undefined && last.wireId === undefined && last.callId === undefined;
      return isWaiting && name === undefined ? last : this.#add();
    }
    if (name === undefined && last) return last;
    const isNameless = last !== undefined && last.wireName === '';
    return isNameless ? last : this.#add();
  }

  /** A new number without a new name continues the call of that id, or the last one: some servers count deltas. */
  #findMisnumbered(id: string | undefined, name: string | undefined): Slot | undefined {
    if (name !== undefined) return undefined;
    return id === undefined ? this.#slots.at(-1) : this.#slots.find((slot) => slot.wireId === id);
  }

  #add(index?: number | 'legacy'): Slot {
    const slot: Slot = {
      wireId: undefined,
      callId: undefined,
      wireName: '',
      isCustom: false,
      isLowered: false,
      isClosed: false,
      held: [],
      heldLength: 0,
    };
    this.#slots.push(slot);
    if (index !== undefined) this.#byIndex.set(index, slot);
    return slot;
  }

  #feed(slot: Slot, id: string | undefined, name: string | undefined, text: string, out: TurnEvent[]): void {
    if (slot.isClosed) return;
    slot.wireId ??= id;
    if (slot.wireName === '' && name !== undefined) slot.wireName = name;
    // Once arguments flow no id will come any more: one is made up.
    const isReady = slot.wireName !== '' && (slot.wireId !== undefined || text !== '' || slot.heldLength > 0);
    if (slot.callId === undefined && isReady) this.#start(slot, out);
    if (text === '') return;
    if (slot.callId !== undefined && !slot.isLowered) this.#spans.tools.append(slot.callId, text, out);
    else this.#hold(slot, text);
  }

  #hold(slot: Slot, text: string): void {
    slot.held.push(text);
    slot.heldLength += text.length;
    if (slot.heldLength > MAX_ARGUMENT_CHARACTERS) {
      throw new GatewayError(
        'too-large',
        `The arguments of a tool call (${slot.wireName || 'not yet named'}) grew past ${MAX_ARGUMENT_CHARACTERS} characters.`,
      );
    }
  }

  /** False when there is nothing to start: an empty slot that a server left behind. */
  #start(slot: Slot, out: TurnEvent[]): boolean {
    if (slot.wireName === '') {
      if (slot.heldLength === 0) return false;
      throw new GatewayError('upstream-malformed', 'The upstream sent a tool call without a name.');
    }
    const origin = this.#origins.get(slot.wireName);
    slot.isLowered = origin?.isLowered ?? false;
    let callId = slot.wireId ?? this.#newId('call_');
    // Taken by another call of this turn: two calls must never be answered as one.
    while (this.#usedIds.has(callId)) callId = this.#newId('call_');
    this.#usedIds.add(callId);
    slot.callId = callId;
    const kind = slot.isCustom || slot.isLowered ? ('custom' as const) : ('function' as const);
    const head = { callId, name: origin?.name ?? slot.wireName, kind, namespace: origin?.namespace };
    this.#spans.startTool(omitUndefined(head), out);
    if (slot.isLowered || slot.heldLength === 0) return true;
    this.#spans.tools.append(callId, slot.held.join(''), out);
    slot.held = [];
    slot.heldLength = 0;
    return true;
  }
}

function nonEmpty(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Text as it came; an object (Ollama and others send one, whole) as compact JSON. */
function argumentText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function isCompleteJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
