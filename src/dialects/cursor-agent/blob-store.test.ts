import { describe, expect, it } from 'vitest';
import { BlobStore } from './blob-store.ts';
import { memoryShelf } from './fixtures/play-turn.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text));

describe('the blob store', () => {
  it('names its own blobs by their SHA-256', async () => {
    const store = new BlobStore();
    const id = store.add(bytes('abc'));
    expect(Buffer.from(id).toString('hex').slice(0, 8)).toBe('ba7816bf');
    expect(await store.get(id)).toEqual(bytes('abc'));
  });

  it('refuses new blobs when it is full and keeps the old ones', async () => {
    const store = new BlobStore(undefined, { maxBytes: 5, maxBlobs: 2 });
    const first = store.add(bytes('abc'));
    expect(store.set(bytes('x'), bytes('defg'))).toBe(false);
    expect(store.set(bytes('y'), bytes('d'))).toBe(true);
    expect(store.set(bytes('z'), bytes(''))).toBe(false);
    expect(store.set(bytes('y'), bytes('dd'))).toBe(true);
    expect(await store.get(first)).toEqual(bytes('abc'));
  });

  it('writes nothing before it is asked to, then everything once, for another process to find', async () => {
    const shelf = memoryShelf();
    const store = new BlobStore(shelf);
    const id = store.add(bytes('abc'));
    expect(shelf.size).toBe(0);
    await store.persist();
    expect(shelf.size).toBe(1);
    expect(await new BlobStore(shelf).get(id)).toEqual(bytes('abc'));
    expect(await new BlobStore(shelf).get(bytes('other'))).toBeUndefined();
  });
});
