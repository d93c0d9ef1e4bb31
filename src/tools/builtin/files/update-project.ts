// UPDATE_PROJECT (47): replacements in the project's plan, all of them or none.
import { createTwoFilesPatch } from 'diff';
import { z } from 'zod';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { succeed } from '../../tool-outcome.ts';
import { settle } from './file-fault.ts';
import { projectNotesPath, readProjectNotes, writeProjectNotes } from './project-notes.ts';
import { replaceAllInOrder } from './replace-text.ts';
import { readEdits } from './search-replace.ts';

const ARGS = toolArguments(
  z.object({
    string_replacements: z
      .array(
        z.object({
          old_string: z
            .string()
            .describe('The text to replace, unique in the notes; empty to add at the end.'),
          new_string: z.string().describe('The text to put in its place.'),
        }),
      )
      .min(1)
      .describe('Applied in order, all of them or none.'),
    summary: z.string().optional().describe('What this update says, in one sentence.'),
  }),
  {
    aliases: { string_replacements: ['edits', 'replacements'] },
    modernise(args) {
      if (args.string_replacements !== undefined)
        args.string_replacements = readEdits(args.string_replacements);
    },
  },
);

type UpdateArguments = z.infer<typeof ARGS>;

export const updateProject = defineTool<UpdateArguments>({
  number: 47,
  name: 'update_project',
  description:
    'Changes the notes kept about this project across conversations. Each replacement must match once; an empty old_string adds new_string at the end. Read the notes first.',
  args: ARGS,
  risk: 'write',
  modes: ['agent', 'debug'],
  parallel: 'alone',
  status: 'local',
  touches: (_args, context) => [{ type: 'path', path: projectNotesPath(context), access: 'write' }],
  run: (args, context) =>
    settle(context, async () => {
      const before = await readProjectNotes(context);
      const after = updated(before, args);
      await writeProjectNotes(context, after);
      return succeed(`Updated the project notes.${args.summary === undefined ? '' : ` ${args.summary}`}`, {
        attachments: { edits_applied: args.string_replacements.length, size_bytes: Buffer.byteLength(after) },
        data: { success: true, updated_plan: after },
      });
    }),
  preview: async (args, context) => {
    const before = await readProjectNotes(context);
    return createTwoFilesPatch('project notes', 'project notes', before, updated(before, args));
  },
});

function updated(before: string, args: UpdateArguments): string {
  let text = before;
  for (const { old_string, new_string } of args.string_replacements) {
    if (old_string === '') {
      text += (text === '' || text.endsWith('\n') ? '' : '\n') + new_string;
      continue;
    }
    const edit = { oldString: old_string, newString: new_string, replaceAll: false };
    text = replaceAllInOrder(text, [edit], 'the project notes').text;
  }
  return text;
}
