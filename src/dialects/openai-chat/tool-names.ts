// Tool names on a chat wire are one flat list of at most 64 letters, digits, `_` and `-` (OpenAI's reference).
// Names of other dialects may have a namespace, other characters or more length; they are changed on the way out
// and given back on the way in. Custom tools that were lowered to functions are remembered in the same place.
import type { ToolDefinition } from '../../core/index.ts';

export interface ToolOrigin {
  readonly name: string;
  readonly namespace?: string;
  /** A custom tool that travels as a function with one string argument, `input`. */
  readonly isLowered: boolean;
}

interface ToolKey {
  readonly name: string;
  readonly namespace?: string;
}

const MAX_NAME = 64;

export class ToolNames {
  readonly #wireNames = new Map<string, string>();
  readonly #origins = new Map<string, ToolOrigin>();
  readonly #keepsNames: boolean;
  readonly #lowersCustom: boolean;

  constructor(
    tools: readonly ToolDefinition[],
    options: { readonly keepsNames: boolean; readonly lowersCustom: boolean },
  ) {
    this.#keepsNames = options.keepsNames;
    this.#lowersCustom = options.lowersCustom;
    const taken = new Set<string>();
    for (const tool of tools) {
      if (tool.kind === 'hosted' || this.#wireNames.has(keyOf(tool))) continue;
      let wireName = this.#plainWireName(tool);
      if (taken.has(wireName)) wireName = shorten(wireName, keyOf(tool));
      taken.add(wireName);
      this.#wireNames.set(keyOf(tool), wireName);
      const isLowered = tool.kind === 'custom' && this.#lowersCustom;
      if (!isLowered && wireName === tool.name && tool.namespace === undefined) continue;
      const { name, namespace } = tool;
      this.#origins.set(
        wireName,
        namespace === undefined ? { name, isLowered } : { name, namespace, isLowered },
      );
    }
  }

  /** The tools whose calls must be translated back, by the name the upstream knows. */
  get origins(): ReadonlyMap<string, ToolOrigin> {
    return this.#origins;
  }

  /** Also answers for tools that are no longer declared: a history may name them. */
  wireName(tool: ToolKey): string {
    return this.#wireNames.get(keyOf(tool)) ?? this.#plainWireName(tool);
  }

  #plainWireName(tool: ToolKey): string {
    const full = tool.namespace === undefined ? tool.name : `${tool.namespace}__${tool.name}`;
    if (this.#keepsNames) return full;
    const clean = full.replace(/[^A-Za-z0-9_-]/g, '_');
    return clean.length > MAX_NAME || clean === '' ? shorten(clean, full) : clean;
  }
}

function keyOf(tool: ToolKey): string {
  return tool.namespace === undefined ? tool.name : `${tool.namespace}\u0000${tool.name}`;
}

/** The same long name always gives the same short one, so that histories and caches agree. */
function shorten(name: string, seed: string): string {
  let hash = 0x811c9dc5; // FNV-1a
  for (let index = 0; index < seed.length; index++) {
    hash = Math.imul(hash ^ seed.charCodeAt(index), 0x01000193);
  }
  const suffix = `_${(hash >>> 0).toString(16).padStart(8, '0')}`;
  return name.slice(0, MAX_NAME - suffix.length) + suffix;
}
