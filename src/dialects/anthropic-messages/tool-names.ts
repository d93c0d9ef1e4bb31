// Tool names on this wire are one flat list of at most 64 letters, digits, `_` and `-`. (Newer models take 128; 64 is
// what all of them take.) Names that do not fit are changed on the way out and given back on the way in.
import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../../core/index.ts';

export interface ToolOrigin {
  readonly name: string;
  readonly namespace?: string;
  /** A custom tool that travels as a function with one string, `input`. */
  readonly isLowered: boolean;
}

interface ToolKey {
  readonly name: string;
  readonly namespace?: string;
}

const MAX_NAME = 64;
const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;

export class ToolNames {
  readonly #wireNames = new Map<string, string>();
  readonly #origins = new Map<string, ToolOrigin>();

  constructor(tools: readonly ToolDefinition[]) {
    const taken = new Set<string>();
    for (const tool of tools) {
      if (tool.kind === 'hosted') {
        taken.add(tool.name);
        continue;
      }
      const full = fullName(tool);
      if (this.#wireNames.has(full)) continue;
      const plain = toWireName(full);
      // Two namespaces may spell the same flat name.
      const wireName = taken.has(plain) ? withHash(plain, `${full}\u0000${tool.kind}`) : plain;
      taken.add(wireName);
      this.#wireNames.set(full, wireName);
      const { name, namespace } = tool;
      const isLowered = tool.kind === 'custom';
      if (wireName === name && namespace === undefined && !isLowered) continue;
      this.#origins.set(wireName, { name, ...(namespace === undefined ? {} : { namespace }), isLowered });
    }
  }

  /** The tools whose calls must be translated back, by the name the upstream knows. */
  get origins(): ReadonlyMap<string, ToolOrigin> {
    return this.#origins;
  }

  /** Also answers for tools that are no longer declared: a history may name them. */
  wireName(tool: ToolKey): string {
    return this.#wireNames.get(fullName(tool)) ?? toWireName(fullName(tool));
  }
}

function fullName(tool: ToolKey): string {
  return tool.namespace === undefined ? tool.name : `${tool.namespace}__${tool.name}`;
}

function toWireName(full: string): string {
  return LEGAL.test(full) ? full : withHash(full.replace(/[^A-Za-z0-9_-]/g, '_'), full);
}

/** The same name always gives the same alias, so that histories and prompt caches agree. */
function withHash(clean: string, seed: string): string {
  const suffix = `_${createHash('sha256').update(seed).digest('hex').slice(0, 8)}`;
  return clean.slice(0, MAX_NAME - suffix.length) + suffix;
}
