// READ_PROJECT (46): the project's plan. The original keeps it on a server; here it is a local file of notes.
import { z } from 'zod';
import { defineTool, MODES } from '../../tool.ts';
import { succeed } from '../../tool-outcome.ts';
import { settle } from './file-fault.ts';
import { projectNotesPath, readProjectNotes } from './project-notes.ts';
import { countLines } from './text-form.ts';

export const readProject = defineTool({
  number: 46,
  name: 'read_project',
  description:
    'Reads the notes kept about this project across conversations: its plan, decisions and open points.',
  args: z.preprocess((given) => given ?? {}, z.object({})),
  risk: 'none',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: (_args, context) => [{ type: 'path', path: projectNotesPath(context), access: 'read' }],
  run: (_args, context) =>
    settle(context, async () => {
      const plan = await readProjectNotes(context);
      return succeed(plan === '' ? 'There are no project notes yet; update_project starts them.' : plan, {
        attachments: { line_count: countLines(plan), size_bytes: Buffer.byteLength(plan) },
        data: { plan },
      });
    }),
});
