// EDIT_FILE_V2 (38) as `write` / `Write`: the whole new text of a file. Its wire params are of this form too
// (`contents_after_edit`), as are the whole-file writes of agent.v1 (`file_text`).
import { z } from 'zod';
import { toolArguments } from '../../tool-arguments.ts';
import { defineEditTool, EDIT_ACCESS } from './edit-tool.ts';
import { takeSnapshot } from './file-snapshot.ts';
import { inFormOf } from './in-form-of.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { countLines, decodeText } from './text-form.ts';

const ARGS = toolArguments(
  z.object({
    path: z.string().min(1).describe('The file to write, absolute or relative to the workspace.'),
    contents: z.string().describe('The whole text of the file.'),
  }),
  {
    aliases: {
      path: PATH_ALIASES,
      contents: ['content', 'contents_after_edit', 'file_text', 'text', 'data', 'stream_content'],
    },
    paths: ['path'],
  },
);

export const write = defineEditTool({
  number: 38,
  name: 'write',
  description:
    'Writes a whole file, creating it and its folders where needed and replacing what was there. For a change to a part of an existing file use search_replace or apply_patch: they are shorter and safer. An existing file keeps its permissions, encoding and line endings.',
  args: ARGS,
  uses: ({ path }) => [{ path, access: EDIT_ACCESS }],
  plan: async ({ path, contents }, context) => {
    const before = await takeSnapshot(context, path);
    const name = context.workspace.display(before.target.path);
    const old = before.found && decodeText(before.found.bytes);
    const { bytes, notes } = inFormOf(contents, old);
    if (before.found?.bytes.equals(bytes))
      return { changes: [], summary: `${name} already has exactly this content; nothing was written.` };
    return {
      changes: [{ before, after: bytes }],
      summary: `${before.found ? 'Replaced' : 'Created'} ${name} (${countLines(contents)} lines, ${bytes.length} bytes).`,
      editsApplied: 1,
      notes,
    };
  },
});
