// KNOWLEDGE_BASE (25), the tool behind `update_memory`. Arguments of Cursor's published prompts (action, title,
// knowledge_to_store, existing_knowledge_id); search and list are ours, as the notes are local.
import { z } from 'zod';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import { succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { FileFault, settle } from '../files/file-fault.ts';
import { MAX_NOTES, type Note, noteBookPath, noteBooks, readNotes, searchNotes } from './note-book.ts';

const ACTIONS = ['create', 'update', 'delete', 'search', 'list'] as const;
const OTHER_ACTIONS: Readonly<Record<string, string>> = {
  add: 'create',
  store: 'create',
  save: 'create',
  edit: 'update',
  remove: 'delete',
  forget: 'delete',
  find: 'search',
  query: 'search',
  read: 'list',
};
const MAX_HITS = 10;

const args = toolArguments(
  {
    action: z.enum(ACTIONS).default('create').describe('What to do; create unless said otherwise.'),
    title: z.string().max(200).optional().describe('What the note is about, for create and update.'),
    knowledge_to_store: z.string().max(20_000).optional().describe('The note itself, for create and update.'),
    existing_knowledge_id: z.string().optional().describe('The note to update or delete.'),
    query: z.string().optional().describe('Words to search for.'),
  },
  {
    aliases: {
      knowledge_to_store: ['knowledge', 'content', 'text', 'memory'],
      existing_knowledge_id: ['id', 'note_id', 'memory_id'],
      query: ['search_term'],
    },
    rewrite: (given) => {
      const action = typeof given.action === 'string' ? given.action.toLowerCase() : undefined;
      if (action !== undefined && action !== '') given.action = OTHER_ACTIONS[action] ?? action;
      else if ((given.query ?? given.search_term) !== undefined) given.action = 'search';
      else delete given.action;
    },
  },
);

type NoteArguments = z.output<typeof args>;

export const knowledgeBase = defineTool({
  number: 25,
  name: 'knowledge_base',
  description:
    'Keep notes about this project that later conversations should know: decisions, habits, things that surprised you. Create when the user asks to remember something or corrects you in general; update or delete a note that turned out wrong; search or list before you rely on memory. Never store secrets or what holds for the present task only.',
  args,
  risk: 'write',
  modes: ['agent', 'debug'],
  parallel: 'alone',
  status: 'local',
  touches: (given, context) => [
    {
      type: 'path',
      path: noteBookPath(context),
      access: given.action === 'search' || given.action === 'list' ? 'read' : 'write',
    },
  ],
  preview: (given) => [given.action, given.title, given.knowledge_to_store].filter(Boolean).join('\n'),
  run: (given, context) => settle(context, () => ACTIONS_BY_NAME[given.action](given, context)),
});

const ACTIONS_BY_NAME: Readonly<
  Record<(typeof ACTIONS)[number], (given: NoteArguments, context: ToolContext) => Promise<ToolOutcome>>
> = {
  async create(given, context) {
    const text = required(given.knowledge_to_store, 'knowledge_to_store', 'create');
    const title = given.title ?? text.split('\n', 1)[0]?.slice(0, 80) ?? '';
    const note = await context.resources.get(noteBooks).change(context, (notes) => {
      if (notes.length >= MAX_NOTES)
        throw new FileFault(
          'EFBIG',
          `There are ${MAX_NOTES} notes already; delete some that no longer hold.`,
        );
      const now = context.nowMs();
      const made: Note = { id: context.newId('note_'), title, text, created_ms: now, updated_ms: now };
      notes.push(made);
      return made;
    });
    return done(`Noted as ${note.id}: ${note.title}`, note.id);
  },

  async update(given, context) {
    const id = required(given.existing_knowledge_id, 'existing_knowledge_id', 'update');
    await context.resources.get(noteBooks).change(context, (notes) => {
      const at = findNote(notes, id);
      const note = notes[at];
      if (!note) return;
      notes[at] = {
        ...note,
        title: given.title ?? note.title,
        text: given.knowledge_to_store ?? note.text,
        updated_ms: context.nowMs(),
      };
    });
    return done(`Updated ${id}.`, id);
  },

  async delete(given, context) {
    const id = required(given.existing_knowledge_id, 'existing_knowledge_id', 'delete');
    await context.resources.get(noteBooks).change(context, (notes) => {
      notes.splice(findNote(notes, id), 1);
    });
    return done(`Deleted ${id}.`, id);
  },

  async search(given, context) {
    const query = required(given.query ?? given.title ?? given.knowledge_to_store, 'query', 'search');
    const hits = searchNotes(await readNotes(context), query, MAX_HITS);
    return show(hits, `No note is about "${query}".`);
  },

  async list(_given, context) {
    return show(await readNotes(context), 'There are no notes about this project yet.');
  },
};

function findNote(notes: readonly Note[], id: string): number {
  const at = notes.findIndex((note) => note.id === id);
  if (at !== -1) return at;
  throw new FileFault('ENOENT', `There is no note ${id}; list them to see the ids.`);
}

function required(value: string | undefined, name: string, action: string): string {
  if (value !== undefined && value.trim() !== '') return value;
  throw new FileFault('EINVAL', `To ${action} a note, give "${name}".`);
}

/** The fields of `aiserver.v1.KnowledgeBaseResult`. */
function done(message: string, id: string): ToolOutcome {
  return succeed(message, { data: { success: true, confirmation_message: message, id } });
}

function show(notes: readonly Note[], nothing: string): ToolOutcome {
  const text = notes.map((note) => `### ${note.title} (${note.id})\n${note.text}`).join('\n\n');
  return succeed(notes.length === 0 ? nothing : text, {
    attachments: { match_count: notes.length },
    data: { success: true, notes: [...notes] },
  });
}
