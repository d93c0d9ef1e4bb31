import type { Clock, DocumentBounds, DocumentKey, DocumentStore } from '../ports.ts';

interface Kept {
  /** As text: nobody can change a kept document by holding on to it, and its size is known. */
  readonly text: string;
  readonly keptAtMs: number;
}

export function createMemoryDocuments(bounds: DocumentBounds, clock: Clock): DocumentStore {
  const documents = new Map<string, Kept>(); // oldest first
  let bytes = 0;

  function remove(name: string): boolean {
    const kept = documents.get(name);
    if (!kept) return false;
    bytes -= kept.text.length;
    return documents.delete(name);
  }

  function makeRoom(): void {
    const oldestAllowedMs = clock() - bounds.maxAgeMs;
    for (const [name, kept] of documents) {
      if (bytes <= bounds.maxBytes && kept.keptAtMs >= oldestAllowedMs) return;
      remove(name);
    }
  }

  return {
    async get(key) {
      const kept = documents.get(nameOf(key));
      if (!kept || kept.keptAtMs < clock() - bounds.maxAgeMs) return undefined;
      return JSON.parse(kept.text);
    },
    async put(key, value) {
      const text = JSON.stringify(value);
      const name = nameOf(key);
      remove(name);
      documents.set(name, { text, keptAtMs: clock() });
      bytes += text.length;
      makeRoom();
    },
    delete: async (key) => remove(nameOf(key)),
  };
}

function nameOf({ owner, kind, id }: DocumentKey): string {
  return JSON.stringify([owner, kind, id]);
}
