// Blobs among our own documents, by the hex of their id: what a client uploads or lost, and what a restart needs.
import type { DocumentShelf } from '../../dialect.ts';
import { BLOB_KIND } from '../blob-store.ts';

/** What is larger stays with the client alone: our documents are small ones. */
export const MAX_KEPT_BYTES = 16 * 1024 * 1024;

export function blobKey(id: Uint8Array): string {
  return Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('hex');
}

export async function keepBlob(documents: DocumentShelf, key: string, data: Uint8Array): Promise<void> {
  await documents.put(BLOB_KIND, key, { data: Buffer.from(data).toString('base64') });
}

export async function findKeptBlob(documents: DocumentShelf, key: string): Promise<Uint8Array | undefined> {
  const kept = await documents.get(BLOB_KIND, key);
  return typeof kept?.data === 'string' ? new Uint8Array(Buffer.from(kept.data, 'base64')) : undefined;
}
