// What each call did to files, so that it can be undone: one folder per call under the state folder, named by a
// running number and its size, with the bytes before and after. Written before the files change; what the files hold
// now, compared with the journal, tells whether a change happened. Bounded: the oldest calls go first.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { errnoOf } from './file-fault.ts';

const MAX_ENTRIES = 200;
const MAX_TOTAL_BYTES = 128 * 1024 * 1024;
const MAX_ENTRY_BYTES = 32 * 1024 * 1024;

const FILE_SCHEMA = z.object({
  path: z.string(),
  wasThere: z.boolean(),
  isThere: z.boolean(),
  mode: z.number(),
  state: z.enum(['applied', 'undone']),
});
const ENTRY_SCHEMA = z.object({
  callId: z.string(),
  tool: z.string(),
  atMs: z.number(),
  files: z.array(FILE_SCHEMA),
});

type StoredEntry = z.infer<typeof ENTRY_SCHEMA>;
type StoredFile = z.infer<typeof FILE_SCHEMA>;

/** One file of one call: what it held before and after; undefined where there was no file. */
export interface JournalChange {
  readonly path: string;
  readonly before: Buffer | undefined;
  readonly after: Buffer | undefined;
  readonly mode: number;
}

/** Where a journalled change is kept. */
export interface JournalledFile extends Readonly<StoredFile> {
  readonly entry: string;
  readonly index: number;
  readonly callId: string;
}

export class EditJournal {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = path.join(stateFolder, 'edit-journal');
  }

  /** Undefined when the change is too large to be kept. */
  async record(
    head: Omit<StoredEntry, 'files'>,
    changes: readonly JournalChange[],
  ): Promise<string | undefined> {
    const bytes = changes.reduce(
      (sum, { before, after }) => sum + (before?.length ?? 0) + (after?.length ?? 0),
      0,
    );
    if (bytes > MAX_ENTRY_BYTES) return undefined;
    const entry = await this.#newEntry(bytes);
    const files: StoredFile[] = [];
    for (const [index, change] of changes.entries()) {
      const { before, after } = change;
      if (before) await writeFile(this.#file(entry, `${index}.before`), before, { mode: 0o600 });
      if (after) await writeFile(this.#file(entry, `${index}.after`), after, { mode: 0o600 });
      files.push({
        path: change.path,
        wasThere: before !== undefined,
        isThere: after !== undefined,
        mode: change.mode,
        state: 'applied',
      });
    }
    await this.#save(entry, { ...head, files });
    await this.#prune();
    return entry;
  }

  async drop(entry: string): Promise<void> {
    await rm(this.#file(entry), { recursive: true, force: true });
  }

  /** All changes of one file, newest first. */
  async historyOf(realPath: string): Promise<JournalledFile[]> {
    return (await this.#all()).filter((file) => file.path === realPath);
  }

  /** All files of one call; of its last run, should an id come twice. */
  async changesOf(callId: string): Promise<JournalledFile[]> {
    const files = (await this.#all()).filter((file) => file.callId === callId);
    return files.filter((file) => file.entry === files[0]?.entry);
  }

  async load(file: JournalledFile): Promise<JournalChange> {
    const read = (name: string) => readFile(this.#file(file.entry, `${file.index}.${name}`));
    return {
      path: file.path,
      before: file.wasThere ? await read('before') : undefined,
      after: file.isThere ? await read('after') : undefined,
      mode: file.mode,
    };
  }

  async mark(file: JournalledFile, state: StoredFile['state']): Promise<void> {
    const stored = await this.#read(file.entry);
    if (stored === undefined) return;
    const files = stored.files.map((other, index) => (index === file.index ? { ...other, state } : other));
    await this.#save(file.entry, { ...stored, files });
  }

  async #all(): Promise<JournalledFile[]> {
    const all: JournalledFile[] = [];
    for (const entry of (await this.#entries()).reverse()) {
      const stored = await this.#read(entry);
      for (const [index, file] of (stored?.files ?? []).entries())
        all.push({ ...file, entry, index, callId: stored?.callId ?? '' });
    }
    return all;
  }

  /** In the order in which they were written. */
  async #entries(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names.filter((name) => /^\d{9}-\d+$/.test(name)).sort();
  }

  async #newEntry(bytes: number): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    for (;;) {
      const last = (await this.#entries()).at(-1);
      const number = last === undefined ? 1 : Number(last.slice(0, 9)) + 1;
      const entry = `${String(number).padStart(9, '0')}-${bytes}`;
      try {
        await mkdir(this.#file(entry), { mode: 0o700 });
        return entry;
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error;
      }
    }
  }

  async #prune(): Promise<void> {
    const entries = (await this.#entries()).reverse();
    let bytes = 0;
    for (const [index, entry] of entries.entries()) {
      bytes += Number(entry.slice(10));
      if (index >= MAX_ENTRIES || (bytes > MAX_TOTAL_BYTES && index > 0)) await this.drop(entry);
    }
  }

  async #read(entry: string): Promise<StoredEntry | undefined> {
    try {
      return ENTRY_SCHEMA.parse(JSON.parse(await readFile(this.#file(entry, 'entry.json'), 'utf8')));
    } catch {
      return undefined; // a call that was cut off while it wrote its journal had not changed anything yet
    }
  }

  async #save(entry: string, stored: StoredEntry): Promise<void> {
    const file = this.#file(entry, 'entry.json');
    await writeFile(`${file}.new`, JSON.stringify(stored), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  #file(...names: string[]): string {
    return path.join(this.#folder, ...names);
  }
}
