// What every store agrees on about documents: what one costs, and which are the last to give way.
import type { DocumentKey } from './ports.ts';

/** What a document costs beside its text: its place in the maps or indexes that find it again. */
const OVERHEAD_BYTES = 200;

/**
 * Kinds that guard something, so that losing one does harm: without its ledger a call runs twice, and without its note
 * a session that was logged out lives again. SQLite files remember the answer for each document: a kind added here
 * needs a migration that marks the documents of that kind.
 */
const GUARDING_KINDS: ReadonlySet<string> = new Set(['agent-call', 'agent-rounds', 'ended-session']);

/** Documents past their age are looked for once in so many writes, and whenever room is short. Nobody can read them. */
export const SWEEP_EVERY = 64;

export function documentBytes({ owner, kind, id }: DocumentKey, text: string): number {
  return OVERHEAD_BYTES + Buffer.byteLength(owner + kind + id) + Buffer.byteLength(text);
}

export function isGuarding(kind: string): boolean {
  return GUARDING_KINDS.has(kind);
}

/** Guarding documents have half of the room for themselves: below it none goes, above it they make room for the rest. */
export function mustGuardsGiveWay(guardingBytes: number, maxBytes: number): boolean {
  return guardingBytes > maxBytes / 2;
}
