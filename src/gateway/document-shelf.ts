import type { DocumentShelf } from '../dialects/dialect.ts';
import type { DocumentStore } from '../store/ports.ts';

/** One owner's part of the documents; nobody reaches another's. */
export function shelfOf(documents: DocumentStore, owner: string): DocumentShelf {
  return {
    get: (kind, id) => documents.get({ owner, kind, id }),
    put: (kind, id, value) => documents.put({ owner, kind, id }, value),
    delete: (kind, id) => documents.delete({ owner, kind, id }),
  };
}
