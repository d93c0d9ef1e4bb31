import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppendQueue } from './append-queue.ts';

const message = (value: number) => new Uint8Array([value]);

/** A server whose answers a test gives one by one. */
function heldServer() {
  const posted: { seqno: bigint; value: number | undefined; answer: (error?: Error) => void }[] = [];
  const post = (seqno: bigint, bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      posted.push({ seqno, value: bytes[0], answer: (error) => (error ? reject(error) : resolve()) });
    });
  return { posted, post };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the append queue', () => {
  it('numbers from 0 in the order of the calls and keeps 16 under way', async () => {
    const { posted, post } = heldServer();
    const queue = new AppendQueue(post);
    const all = Array.from({ length: 20 }, (_, index) => queue.append(message(index)));
    await settle();
    expect(posted.map(({ seqno }) => Number(seqno))).toEqual(Array.from({ length: 16 }, (_, index) => index));
    posted[7]?.answer();
    await settle();
    expect(posted).toHaveLength(17);
    expect(posted[16]).toMatchObject({ seqno: 16n, value: 16 });
    for (const one of posted) one.answer();
    await settle();
    for (const one of posted) one.answer();
    await Promise.all(all);
    expect(posted.map(({ value }) => value)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  it('reports in order, in whatever order the server answers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 }), async (order) => {
        const { posted, post } = heldServer();
        const queue = new AppendQueue(post);
        const done: number[] = [];
        const all = order.map((_, index) => queue.append(message(index)).then(() => done.push(index)));
        await settle();
        for (const index of order) posted[index]?.answer();
        await Promise.all(all);
        expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      }),
    );
  });

  it('fails everything after a failure, with that failure, and posts nothing twice', async () => {
    const { posted, post } = heldServer();
    const queue = new AppendQueue(post, 2);
    const all = [0, 1, 2, 3].map((index) => queue.append(message(index)));
    const outcome = Promise.allSettled(all);
    await settle();
    posted[0]?.answer();
    await settle();
    posted[1]?.answer(new Error('lost'));
    await settle();
    posted[2]?.answer();
    expect((await outcome).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ]);
    await expect(queue.append(message(9))).rejects.toThrow('lost');
    expect(posted.map(({ value }) => value)).toEqual([0, 1, 2]);
  });
});
