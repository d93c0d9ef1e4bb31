import { documentBytes, isGuarding, mustGuardsGiveWay, SWEEP_EVERY } from '../document-rules.ts';
import type { Clock, DocumentBounds, DocumentKey, DocumentStore } from '../ports.ts';
import { DocumentLine, type Kept } from './document-line.ts';

/** What one owner holds. */
interface Holding {
  readonly owner: string;
  readonly ordinary: DocumentLine;
  readonly guarding: DocumentLine;
}

export function createMemoryDocuments(bounds: DocumentBounds, clock: Clock): DocumentStore {
  const holdings = new Map<string, Holding>();
  let bytes = 0;
  let guardingBytes = 0;
  let writes = 0;

  function lineOf({ owner, kind }: DocumentKey): DocumentLine | undefined {
    const holding = holdings.get(owner);
    return isGuarding(kind) ? holding?.guarding : holding?.ordinary;
  }

  function add(kept: Kept): void {
    const { owner } = kept;
    const holding = holdings.get(owner) ?? {
      owner,
      ordinary: new DocumentLine(),
      guarding: new DocumentLine(),
    };
    holdings.set(owner, holding);
    (kept.isGuarding ? holding.guarding : holding.ordinary).add(kept);
    bytes += kept.bytes;
    if (kept.isGuarding) guardingBytes += kept.bytes;
  }

  function remove(kept: Kept): void {
    const holding = holdings.get(kept.owner);
    if (!holding) return;
    (kept.isGuarding ? holding.guarding : holding.ordinary).remove(kept.name);
    if (bytesOf(holding) === 0) holdings.delete(kept.owner);
    bytes -= kept.bytes;
    if (kept.isGuarding) guardingBytes -= kept.bytes;
  }

  function sweep(): void {
    const oldestAllowedMs = clock() - bounds.maxAgeMs;
    for (const { ordinary, guarding } of [...holdings.values()]) {
      for (const line of [ordinary, guarding]) {
        while (line.oldest && line.oldest.keptAtMs < oldestAllowedMs) remove(line.oldest);
      }
    }
  }

  function makeRoom(): void {
    while (bytes > bounds.maxBytes) {
      const victim = mustGuardsGiveWay(guardingBytes, bounds.maxBytes)
        ? largest(holdings.values(), ({ guarding }) => guarding.bytes)?.guarding.oldest
        : largest(holdings.values(), (holding) => (holding.ordinary.bytes > 0 ? bytesOf(holding) : 0))
            ?.ordinary.oldest;
      if (!victim) return;
      remove(victim);
    }
  }

  return {
    async get(key) {
      const kept = lineOf(key)?.get(nameOf(key));
      if (!kept || kept.keptAtMs < clock() - bounds.maxAgeMs) return undefined;
      return JSON.parse(kept.text);
    },
    async put(key, value) {
      const text = JSON.stringify(value);
      const name = nameOf(key);
      const old = lineOf(key)?.get(name);
      if (old) remove(old);
      add({
        name,
        owner: key.owner,
        isGuarding: isGuarding(key.kind),
        text,
        bytes: documentBytes(key, text),
        keptAtMs: clock(),
      });
      writes += 1;
      if (writes % SWEEP_EVERY === 0 || bytes > bounds.maxBytes) sweep();
      makeRoom();
    },
    async delete(key) {
      const kept = lineOf(key)?.get(nameOf(key));
      if (kept) remove(kept);
      return kept !== undefined;
    },
  };
}

/** Of equals the first by name, as in every store. */
function largest(holdings: Iterable<Holding>, sizeOf: (holding: Holding) => number): Holding | undefined {
  let found: Holding | undefined;
  let size = 0;
  for (const holding of holdings) {
    const own = sizeOf(holding);
    if (own > size || (found && own === size && holding.owner < found.owner)) [found, size] = [holding, own];
  }
  return found;
}

function bytesOf({ ordinary, guarding }: Holding): number {
  return ordinary.bytes + guarding.bytes;
}

/** Within what one owner holds. */
function nameOf({ kind, id }: DocumentKey): string {
  return JSON.stringify([kind, id]);
}
