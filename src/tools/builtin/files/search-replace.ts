// EDIT_FILE_V2 (38) as `search_replace` / `StrReplace`, and as other agents know it: `Edit` (one replacement) and
// `MultiEdit` (a list, all or nothing). The wire form of 38 holds the whole new text; the replacing is done here.
import { z } from 'zod';
import type { JsonValue } from '../../../core/index.ts';
import { canonicalArguments, toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import type { FileChange } from './commit-changes.ts';
import { defineEditTool, EDIT_ACCESS, type EditPlan } from './edit-tool.ts';
import { FileFault } from './file-fault.ts';
import { takeSnapshot, textOfSnapshot } from './file-snapshot.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { type Replacement, replaceAllInOrder } from './replace-text.ts';
import { encodeText } from './text-form.ts';

export const REPLACEMENT_ALIASES = {
  old_string: ['old_text', 'old_str', 'search', 'old'],
  new_string: ['new_text', 'new_str', 'replace', 'new'],
  replace_all: ['allow_multiple_matches', 'allow_multiple', 'all'],
} as const;

const OLD = z
  .string()
  .describe('The text to replace, exactly as in the file, with enough lines around it to be unique.');
const NEW = z.string().describe('The text to put in its place; must differ from old_string.');
const ALL = z.boolean().describe('Replace every occurrence instead of requiring exactly one. Default false.');

const ARGS = toolArguments(
  z
    .object({
      path: z.string().min(1).describe('The file to edit, absolute or relative to the workspace.'),
      old_string: OLD.optional(),
      new_string: NEW.optional(),
      replace_all: ALL.optional(),
      edits: z
        .array(z.object({ old_string: OLD, new_string: NEW, replace_all: ALL.optional() }))
        .min(1)
        .optional()
        .describe(
          'Instead of one old_string and new_string: several replacements, applied in order, each on the result of the one before; all of them or none.',
        ),
    })
    .superRefine((args, refinement) => {
      if (args.edits !== undefined) return;
      for (const key of ['old_string', 'new_string'] as const)
        if (args[key] === undefined)
          refinement.addIssue({
            code: 'custom',
            path: [key],
            message: `${key} is missing (or give "edits").`,
          });
    }),
  {
    aliases: { path: PATH_ALIASES, ...REPLACEMENT_ALIASES, edits: ['string_replacements', 'replacements'] },
    paths: ['path'],
    modernise(args) {
      if (args.edits !== undefined) args.edits = readEdits(args.edits);
    },
  },
);

/** A list of replacements in any spelling; some models send it as JSON text. */
export function readEdits(given: JsonValue): JsonValue {
  const list = typeof given === 'string' ? parseList(given) : given;
  if (!Array.isArray(list)) return list;
  const shape = { replace_all: ALL };
  return list.map(
    (edit) => canonicalArguments(edit, shape, { aliases: REPLACEMENT_ALIASES }) as JsonValue, // JSON renamed
  );
}

function parseList(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const searchReplace = defineEditTool({
  number: 38,
  name: 'search_replace',
  description:
    'Replaces text in a file. old_string must match exactly, white space included, and be unique in the file unless replace_all is set: copy it from a fresh read (without the line numbers) together with a few lines before and after. An empty old_string creates a new file. With edits, several replacements happen together or not at all.',
  args: ARGS,
  uses: ({ path }) => [{ path, access: EDIT_ACCESS }],
  plan: (args, context) => {
    const edits = args.edits ?? [args];
    return planReplacements(
      context,
      args.path,
      edits.map((edit) => ({
        oldString: edit.old_string ?? '',
        newString: edit.new_string ?? '',
        replaceAll: edit.replace_all ?? false,
      })),
    );
  },
});

/** A new file comes from an empty `old_string`; in a list, the replacements after it work on that text. */
export async function planReplacements(
  context: ToolContext,
  path: string,
  replacements: readonly Replacement[],
): Promise<EditPlan> {
  const before = await takeSnapshot(context, path);
  const name = context.workspace.display(before.target.path);
  const [first, ...rest] = replacements;
  if (first?.oldString === '' && (before.found === undefined || before.found.bytes.length === 0)) {
    const { text, count } = replaceAllInOrder(first.newString, rest, name);
    const change: FileChange = { before, after: Buffer.from(text, 'utf8') };
    return { changes: [change], summary: `Created ${name}.`, editsApplied: count + 1 };
  }
  const { text, form } = await textOfSnapshot(context, before);
  const replaced = replaceAllInOrder(text, replacements, name);
  if (replaced.text === text)
    throw new FileFault(
      'EINVAL',
      `The edits undo one another: ${name} would not change. Leave out those that do.`,
    );
  return {
    changes: [{ before, after: encodeText(replaced.text, form) }],
    summary: `Successfully edited ${replaced.count} ${replaced.count === 1 ? 'location' : 'locations'} in ${name}.`,
    editsApplied: replaced.count,
    data: { num_matches: replaced.count },
  };
}
