import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { omitUndefined } from '../../../core/index.ts';
import { defineResource } from '../../resources.ts';

/** What the runtime last saw of a file, by reading or by writing it. */
interface Sighting {
  /** Absent when only a part of a large file was read. */
  readonly hash?: string;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ino: bigint;
}

const MAX_FILES = 10_000;

/** Knows which files have changed behind the model's back since it saw them. */
class FileMemory {
  readonly #sightings = new Map<string, Sighting>();

  remember(realPath: string, stat: BigIntStats, bytes?: Buffer): void {
    const { size, mtimeNs, ino } = stat;
    this.#sightings.delete(realPath);
    this.#sightings.set(realPath, omitUndefined({ size, mtimeNs, ino, hash: bytes && hashOf(bytes) }));
    for (const oldest of this.#sightings.keys()) {
      if (this.#sightings.size <= MAX_FILES) break;
      this.#sightings.delete(oldest);
    }
  }

  forget(realPath: string): void {
    this.#sightings.delete(realPath);
  }

  /** A file that was never seen is not stale. Content decides where it is known: a mere `touch` changes nothing. */
  isStale(realPath: string, stat: BigIntStats, bytes: Buffer): boolean {
    const seen = this.#sightings.get(realPath);
    if (seen === undefined) return false;
    if (seen.hash !== undefined) return seen.hash !== hashOf(bytes);
    return seen.size !== stat.size || seen.mtimeNs !== stat.mtimeNs || seen.ino !== stat.ino;
  }
}

export const FILE_MEMORY = defineResource({ name: 'file-memory', create: () => new FileMemory() });

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
