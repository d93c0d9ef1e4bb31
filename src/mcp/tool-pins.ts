// Protection against tools that change after they were agreed to. What a tool is (name, title, description, schemas,
// annotations) is kept at the first consent; a tool that differs later is neither offered nor called until the user
// has seen the difference and agreed to exactly that state.
import { createTwoFilesPatch } from 'diff';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/index.ts';
import type { McpChange, McpConsent } from '../tools/mcp-port.ts';
import type { KeyedStore } from './keyed-store.ts';
import { sha256 } from './server-definition.ts';
import { showText } from './show-text.ts';

/** What of a tool is looked at; order and spacing of keys carry no meaning and are evened out. */
export interface ToolFace {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject | undefined;
  readonly annotations?: JsonObject | undefined;
}

export interface PinState {
  readonly fingerprint: string;
  readonly consent: McpConsent;
  readonly change?: McpChange;
}

interface Pin {
  readonly hash: string;
  readonly text: string;
  readonly isAgreed: boolean;
}

/** Enough for any honest tool; the hash covers the rest, only the diff would lack it. */
const MAX_KEPT_CHARACTERS = 200_000;

export class ToolPins {
  readonly #store: KeyedStore;
  readonly #known = new Map<string, Pin>();
  readonly #current = new Map<string, Pin>();
  /** Tools are seen at every call; what they are is worked out once. */
  readonly #faces = new WeakMap<ToolFace, Pin>();
  readonly #changes = new Map<string, McpChange & { readonly before: string }>();

  constructor(store: KeyedStore) {
    this.#store = store;
  }

  /** `scope` tells apart servers of one name that different files define. */
  async see(scope: string, server: string, face: ToolFace): Promise<PinState> {
    const key = keyOf(scope, server, face.name);
    const current = this.#faces.get(face) ?? newPin(face);
    this.#faces.set(face, current);
    this.#current.set(key, current);
    if (!this.#known.has(key)) {
      const stored = readPin(await this.#store.get(key));
      // Until somebody agrees, what was seen first is the measure: a tool may not change between question and call.
      if (!this.#known.has(key)) this.#known.set(key, stored ?? current);
    }
    return this.state(scope, server, face.name) ?? { fingerprint: current.hash, consent: 'none' };
  }

  /** Without waiting; undefined for a tool that was never seen. */
  state(scope: string, server: string, tool: string): PinState | undefined {
    const key = keyOf(scope, server, tool);
    const current = this.#current.get(key);
    const known = this.#known.get(key);
    if (!current || !known) return undefined;
    const fingerprint = current.hash;
    if (known.hash === fingerprint) return { fingerprint, consent: known.isAgreed ? 'given' : 'none' };
    let change = this.#changes.get(key);
    if (change?.fingerprint !== fingerprint || change.before !== known.hash) {
      const diff = diffOf(`${server}: ${tool}`, known.text, current.text);
      change = { fingerprint, diff, before: known.hash };
      this.#changes.set(key, change);
    }
    return { fingerprint, consent: 'changed', change: { fingerprint, diff: change.diff } };
  }

  /** False when the tool is no longer the one that was shown. */
  async agree(scope: string, server: string, tool: string, fingerprint: string): Promise<boolean> {
    const key = keyOf(scope, server, tool);
    const current = this.#current.get(key);
    if (current?.hash !== fingerprint) return false;
    const pin = { ...current, isAgreed: true };
    this.#known.set(key, pin);
    await this.#store.set(key, { hash: pin.hash, text: pin.text });
    return true;
  }
}

function newPin(face: ToolFace): Pin {
  const text = faceText(face);
  return { hash: sha256(text), text: text.slice(0, MAX_KEPT_CHARACTERS), isAgreed: false };
}

function keyOf(scope: string, server: string, tool: string): string {
  return JSON.stringify(['tool', scope, server, tool]);
}

function readPin(value: JsonValue | undefined): Pin | undefined {
  if (!isJsonObject(value) || typeof value.hash !== 'string' || typeof value.text !== 'string')
    return undefined;
  return { hash: value.hash, text: value.text, isAgreed: true };
}

function faceText(face: ToolFace): string {
  const schema = (label: string, value: JsonObject | undefined) =>
    value === undefined ? [] : [`${label}:`, JSON.stringify(sortKeys(value), null, 2)];
  return [
    `name: ${face.name}`,
    ...(face.title === undefined ? [] : [`title: ${face.title}`]),
    'description:',
    face.description ?? '',
    ...schema('input schema', face.inputSchema),
    ...schema('output schema', face.outputSchema),
    ...schema('annotations', face.annotations),
  ].join('\n');
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item)]));
}

export function diffOf(title: string, before: string, after: string): string {
  const patch = createTwoFilesPatch('agreed', 'now', showText(before), showText(after), '', '', {
    context: 3,
    timeout: 1_000,
    stripTrailingCr: true,
  });
  // The comparison gives up on huge texts; the user still gets to see what is there now.
  return `${title}\n${patch ?? showText(after)}`;
}
