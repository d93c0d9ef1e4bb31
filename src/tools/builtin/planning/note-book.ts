import { readFile } from 'node:fs/promises';
import path from 'node:path';
import MiniSearch from 'minisearch';
import { z } from 'zod';
import { defineResource } from '../../resources.ts';
import type { ToolContext } from '../../tool-context.ts';
import { errnoOf, FileFault } from '../files/file-fault.ts';
import { workspaceKey, writeStateFile } from './state-file.ts';

const noteSchema = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string(),
  created_ms: z.number(),
  updated_ms: z.number(),
});
export type Note = z.infer<typeof noteSchema>;

export const MAX_NOTES = 1_000;
const FOLDER = 'knowledge';

export function noteBookPath(context: ToolContext): string {
  return path.join(context.stateFolder, FOLDER, fileName(context));
}

function fileName(context: ToolContext): string {
  return `${workspaceKey(context)}.json`;
}

/** Changes follow each other, so that two calls at once do not lose a note. */
class NoteBooks {
  #last: Promise<unknown> = Promise.resolve();

  /** The change is written before its result is known; a change that throws leaves the notes as they were. */
  change<T>(context: ToolContext, apply: (notes: Note[]) => T): Promise<T> {
    const next = this.#last.then(async () => {
      const notes = await readNotes(context);
      const result = apply(notes);
      await writeStateFile(context, FOLDER, fileName(context), `${JSON.stringify(notes, undefined, 1)}\n`);
      return result;
    });
    this.#last = next.catch(() => undefined); // told to the caller; the next change starts afresh
    return next;
  }
}

export const noteBooks = defineResource({ name: 'note-books', create: () => new NoteBooks() });

export async function readNotes(context: ToolContext): Promise<Note[]> {
  const file = noteBookPath(context);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
  try {
    return z.array(noteSchema).parse(JSON.parse(text));
  } catch {
    throw new FileFault('FAILED', `The notes in ${file} are damaged; mend the JSON or move the file away.`);
  }
}

/** Best first, by words, their beginnings and small misspellings. */
export function searchNotes(notes: readonly Note[], query: string, limit: number): Note[] {
  const index = new MiniSearch<Note>({ fields: ['title', 'text'] });
  index.addAll(notes);
  const byId = new Map(notes.map((note) => [note.id, note]));
  // In short words one letter is another word.
  const fuzzy = (term: string) => (term.length > 5 ? 0.2 : false);
  const hits = index.search(query, { prefix: true, fuzzy, boost: { title: 2 } });
  return hits.slice(0, limit).flatMap((hit) => byId.get(String(hit.id)) ?? []);
}
