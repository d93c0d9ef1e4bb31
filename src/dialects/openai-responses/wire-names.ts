// Names on a Responses wire: tools have at most 64 letters, digits, `_` and `-`, call ids at most 64 characters
// (OpenAI's reference). Names from other dialects are changed on the way out and given back on the way in; a request
// of this dialect is left as it is, so that the server judges what its own client wrote.
import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../../core/index.ts';

export interface ToolKey {
  readonly name: string;
  readonly namespace?: string;
}

const MAX_LENGTH = 64;

export class WireNames {
  readonly #isOwn: boolean;
  readonly #wireNames = new Map<string, string>();
  readonly #origins = new Map<string, ToolKey>();
  readonly #customKeys = new Set<string>();

  constructor(tools: readonly ToolDefinition[], isOwn: boolean) {
    this.#isOwn = isOwn;
    const taken = new Set<string>();
    for (const tool of tools) {
      if (tool.kind === 'hosted') continue;
      const key = keyOf(tool);
      if (tool.kind === 'custom') this.#customKeys.add(key);
      if (isOwn || this.#wireNames.has(key)) continue;
      const plain = plainName(tool);
      const wireName = taken.has(plain) ? shorten(plain, key) : plain;
      taken.add(wireName);
      this.#wireNames.set(key, wireName);
      if (wireName !== tool.name) this.#origins.set(wireName, pick(tool));
    }
  }

  /** Also answers for tools that are no longer declared: a history may name them. */
  toolName(tool: ToolKey): string {
    return this.#isOwn ? tool.name : (this.#wireNames.get(keyOf(tool)) ?? plainName(tool));
  }

  /** Who was meant by a name that the upstream uses, if the name was changed. */
  origin(wireName: string): ToolKey | undefined {
    return this.#origins.get(wireName);
  }

  isCustom(tool: ToolKey): boolean {
    return this.#customKeys.has(keyOf(tool));
  }

  callId(id: string): string {
    return this.#isOwn || id.length <= MAX_LENGTH ? id : `call_${digest(id).slice(0, 48)}`;
  }
}

function pick({ name, namespace }: ToolKey): ToolKey {
  return namespace === undefined ? { name } : { name, namespace };
}

function keyOf({ name, namespace }: ToolKey): string {
  return namespace === undefined ? name : `${namespace}\u0000${name}`;
}

function plainName(tool: ToolKey): string {
  const full = tool.namespace === undefined ? tool.name : `${tool.namespace}__${tool.name}`;
  const clean = full.replace(/[^A-Za-z0-9_-]/g, '_');
  return clean.length > MAX_LENGTH || clean === '' ? shorten(clean, full) : clean;
}

/** The same long name always gives the same short one, so that histories and caches agree. */
function shorten(name: string, seed: string): string {
  const suffix = `_${digest(seed).slice(0, 8)}`;
  return name.slice(0, MAX_LENGTH - suffix.length) + suffix;
}

/** 64 hexadecimal digits: also the longest `user` that is accepted. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
