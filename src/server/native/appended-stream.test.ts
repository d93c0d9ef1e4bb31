import { describe, expect, it } from 'vitest';
import { ManualTimers, settle } from '../../dialects/cursor-agent/fixtures/manual-timers.ts';
import { AppendHub } from './append-hub.ts';
import type { StreamLease } from './appended-stream.ts';
import { NATIVE_LIMITS, type NativeLimits } from './native-options.ts';

const never = new AbortController().signal;
const OPENING = 0x0a;
const message = (name: string, tag = 0x12) => Buffer.concat([Buffer.from([tag]), Buffer.from(name)]);
const nameOf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(1)).toString();

function setUp(limits: Partial<NativeLimits> = {}) {
  const timers = new ManualTimers();
  const hub = new AppendHub({ limits: { ...NATIVE_LIMITS, ...limits }, timers });
  const append = (number: number, name: string, id = 'id', owner = '') =>
    hub.append(owner, id, number, message(name, number <= 1 ? OPENING : 0x12));
  const open = async (id = 'id', owner = '') => {
    const opening = hub.open(owner, id, () => {}, never);
    await settle();
    await timers.advance(0);
    return opening;
  };
  return { timers, hub, append, open };
}

/** A stream that is asked for again waits a moment for a client that counts anew. */
async function reopen({ hub, timers }: ReturnType<typeof setUp>): Promise<StreamLease> {
  const opening = hub.open('', 'id', () => {}, never);
  await timers.advance(NATIVE_LIMITS.repeatMs);
  return opening;
}

async function read(lease: StreamLease, count: number): Promise<string[]> {
  const names: string[] = [];
  const reader = lease.incoming[Symbol.asyncIterator]();
  while (names.length < count) {
    const { done, value } = await reader.next();
    if (done === true) break;
    names.push(nameOf(value));
  }
  return names;
}

describe('appends and their stream', () => {
  it('meet whichever comes first', async () => {
    const { append, open } = setUp();
    await append(0, 'a');
    await append(1, 'b');
    const lease = await open();
    await append(2, 'c');
    expect(lease.isRepeated).toBe(false);
    expect(await read(lease, 3)).toEqual(['a', 'b', 'c']);
  });

  it('are put in order, and what comes twice is read once', async () => {
    const { append, open } = setUp();
    const lease = await open();
    for (const [number, name] of [
      [2, 'c'],
      [0, 'a'],
      [2, 'c'],
      [0, 'a'],
      [1, 'b'],
      [3, 'd'],
      [1, 'b'],
    ] as const) {
      await append(number, name);
    }
    expect(await read(lease, 4)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('stay with their owner', async () => {
    const { append, open } = setUp();
    const lease = await open('id', 'alice');
    await append(0, 'forged', 'id', 'mallory');
    await append(0, 'true', 'id', 'alice');
    expect(await read(lease, 1)).toEqual(['true']);
  });

  it('fail after a while when one of them never comes', async () => {
    const { append, open, timers } = setUp();
    const lease = await open();
    await append(0, 'a');
    await append(2, 'c');
    expect(await read(lease, 1)).toEqual(['a']);
    const reading = read(lease, 1);
    const failed = expect(reading).rejects.toThrow(
      /append 1 did not come, although append 2 did within 60000 ms/,
    );
    await timers.advance(NATIVE_LIMITS.gapMs);
    await failed;
  });

  it('have their full time for each gap', async () => {
    const { append, open, timers } = setUp();
    const lease = await open();
    await append(0, 'a');
    await append(2, 'c');
    await timers.advance(NATIVE_LIMITS.gapMs - 1);
    await append(4, 'e');
    await append(1, 'b');
    await timers.advance(NATIVE_LIMITS.gapMs - 1);
    await append(3, 'd');
    await timers.advance(10 * NATIVE_LIMITS.gapMs);
    expect(await read(lease, 5)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('fail when not even the first one comes', async () => {
    const { open, timers } = setUp();
    const lease = await open();
    const failed = expect(read(lease, 1)).rejects.toThrow('No message for this stream came within 60000 ms.');
    await timers.advance(NATIVE_LIMITS.meetMs);
    await failed;
  });

  it('may be silent for long once they have begun', async () => {
    const { append, open, timers } = setUp();
    const lease = await open();
    await append(0, 'a');
    await timers.advance(60 * 60_000);
    await append(1, 'b');
    expect(await read(lease, 2)).toEqual(['a', 'b']);
  });

  it('are answered late while the front does not read', async () => {
    const { append, open } = setUp();
    const lease = await open();
    for (let number = 0; number < 256; number++) await append(number, 'x');
    let isAnswered = false;
    const late = append(256, 'y').then(() => {
      isAnswered = true;
    });
    await settle();
    expect(isAnswered).toBe(false);
    await read(lease, 2);
    await late;
  });
});

describe('bounds of appends without a stream', () => {
  it('forget them after a while', async () => {
    const { hub, append, timers } = setUp();
    await append(0, 'a');
    expect(hub.size).toBe(1);
    await timers.advance(NATIVE_LIMITS.meetMs);
    expect(hub.size).toBe(0);
    expect(timers.waiting).toBe(0);
  });

  it('refuse more ids and more bytes than there is room for', async () => {
    const { append } = setUp({ maxHeldStreams: 2, maxHeldBytes: 1_000 });
    await append(0, 'a', 'one');
    await append(0, 'b', 'two');
    await expect(append(0, 'c', 'three')).rejects.toMatchObject({ code: 'rate-limited' });
    await append(1, 'x'.repeat(400), 'one');
    await expect(append(2, 'x'.repeat(600), 'one')).rejects.toMatchObject({ code: 'rate-limited' });
    await append(2, 'x'.repeat(100), 'one');
  });

  it('forget ended streams before they refuse anybody', async () => {
    const { hub, append, open } = setUp({ maxHeldStreams: 1 });
    await append(0, 'a', 'one');
    const lease = await open('one');
    await expect(append(0, 'b', 'two')).rejects.toMatchObject({ code: 'rate-limited' });
    lease.close();
    await append(0, 'b', 'two');
    expect(hub.size).toBe(1);
  });

  it('refuse the owner who holds the most, and make room for the others', async () => {
    const { hub, timers } = setUp({ maxHeldStreams: 10, maxHeldBytes: 10_000 });
    const put = (owner: string, id: string, size: number) =>
      hub.append(owner, id, 0, Buffer.from('x'.repeat(size)));
    for (let index = 0; index < 10; index++) await put('greedy', `g${index}`, 1_000);
    await expect(put('greedy', 'g10', 1)).rejects.toMatchObject({ code: 'rate-limited' });
    await put('modest', 'm0', 500);
    const lease = await hub.open('modest', 'm0', () => {}, new AbortController().signal);
    await put('modest', 'm1', 2_000);
    expect(await read(lease, 1)).toHaveLength(1);
    expect(hub.size).toBeLessThanOrEqual(10);
    await expect(put('greedy', 'g11', 9_000)).rejects.toMatchObject({ code: 'rate-limited' });
    lease.close();
    await timers.advance(NATIVE_LIMITS.keepFirstMs);
    expect(hub.size).toBe(0);
  });

  it('give up first messages of open streams before they refuse anybody', async () => {
    const { append, open } = setUp({ maxHeldBytes: 1_000 });
    for (const id of ['one', 'two', 'three', 'four']) {
      const lease = await open(id);
      await append(0, 'x'.repeat(400), id);
      expect(await read(lease, 1)).toHaveLength(1);
    }
  });

  it('leave a stream alone whose namesake was forgotten', async () => {
    const { hub, append, open, timers } = setUp({ maxHeldStreams: 1 });
    await append(0, 'a', 'one');
    (await open('one')).close();
    await append(0, 'b', 'two');
    (await open('two')).close();
    const lease = await open('one');
    await timers.advance(NATIVE_LIMITS.keepFirstMs);
    expect(hub.size).toBe(1);
    await expect(read(lease, 1)).rejects.toThrow('No message for this stream');
  });

  it('refuse more early appends than one stream may have', async () => {
    const { append, open } = setUp({ maxEarlyAppends: 2 });
    const lease = await open();
    await append(3, 'd');
    await append(2, 'c');
    await expect(append(4, 'e')).rejects.toThrow('2 appends wait for append 0 already; send that one first.');
    await append(0, 'a');
    await append(1, 'b');
    expect(await read(lease, 4)).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('a stream that is asked for again', () => {
  it('begins with the first message and goes on with later ones', async () => {
    const world = setUp();
    await world.append(0, 'a');
    await world.append(1, 'b');
    (await world.open()).close();
    await world.append(2, 'answer to the lost stream');
    const lease = await reopen(world);
    expect(lease.isRepeated).toBe(true);
    await world.append(3, 'd');
    expect(await read(lease, 2)).toEqual(['a', 'd']);
  });

  it('gives way to a third one while it still waits', async () => {
    const world = setUp();
    await world.append(0, 'a');
    (await world.open()).close();
    const second = world.hub.open('', 'id', () => {}, never);
    await world.timers.advance(NATIVE_LIMITS.repeatMs / 2);
    const third = world.hub.open('', 'id', () => {}, never);
    await world.timers.advance(NATIVE_LIMITS.repeatMs);
    await world.append(1, 'b');
    expect(await read(await second, 2)).toEqual([]);
    expect(await read(await third, 2)).toEqual(['a', 'b']);
    (await second).close();
    await world.append(2, 'c');
    expect(await read(await third, 1)).toEqual(['c']);
  });

  it('takes the place of one that is still open', async () => {
    const { hub, append, timers } = setUp();
    await append(0, 'a');
    let wasReplaced = false;
    const first = await hub.open(
      '',
      'id',
      () => {
        wasReplaced = true;
      },
      never,
    );
    const opening = hub.open('', 'id', () => {}, never);
    await timers.advance(NATIVE_LIMITS.repeatMs);
    const second = await opening;
    expect(wasReplaced).toBe(true);
    expect(await read(first, 5)).toEqual(['a']);
    first.close();
    await append(1, 'b');
    expect(await read(second, 2)).toEqual(['a', 'b']);
  });

  it.each([
    ['before', 'same', true],
    ['before', 'other', false],
    ['while', 'same', true],
    ['while', 'other', false],
  ])(
    'is fresh or not when the client counts anew %s it opens, with the %s message',
    async (when, what, isRepeated) => {
      const { hub, append, open, timers } = setUp();
      await append(0, 'same');
      await append(1, 'b');
      (await open()).close();
      if (when === 'before') await append(0, what);
      const opening = hub.open('', 'id', () => {}, never);
      if (when === 'while') await append(0, what);
      await settle();
      const lease = await opening;
      expect(lease.isRepeated).toBe(isRepeated);
      await append(1, 'b again');
      expect(await read(lease, 2)).toEqual([what, 'b again']);
      expect(timers.waiting).toBe(0);
    },
  );

  it('follows a client that counts anew after it has opened', async () => {
    const world = setUp();
    await world.append(0, 'a');
    await world.append(1, 'b');
    await world.append(2, 'c');
    (await world.open()).close();
    const lease = await reopen(world);
    await world.append(0, 'a');
    await world.append(1, 'b2');
    expect(await read(lease, 2)).toEqual(['a', 'b2']);
  });

  it('is forgotten in time, and late appends after its end do nothing', async () => {
    const { hub, append, open, timers } = setUp();
    await append(0, 'a');
    (await open()).close();
    await append(1, 'a late heartbeat');
    await timers.advance(NATIVE_LIMITS.keepFirstMs);
    expect(hub.size).toBe(0);
  });
});
