// EDIT_FILE_V2 (38) as the free-form `apply_patch` / `ApplyPatch`: the argument is the patch text itself, or an object
// that holds it under whichever name the client wrapped it in (`input` and `patch` are seen in public requests).
import { z } from 'zod';
import { toolArguments } from '../../tool-arguments.ts';
import { defineEditTool } from './edit-tool.ts';
import { parseV4aPatch } from './parse-v4a-patch.ts';
import { type PatchSection, usesOfSections } from './patch-section.ts';
import { planSections } from './plan-sections.ts';

const ARGS = toolArguments(
  z.object({
    patch: z.string().describe('The whole patch, from "*** Begin Patch" to "*** End Patch".'),
  }),
  {
    aliases: { patch: ['input', 'patch_text', 'text', 'content', 'raw', 'diff', 'cmd'] },
    rawText: 'patch',
    // `["apply_patch", "<patch>"]`, the argument list of a shell call.
    modernise(args) {
      const text = Array.isArray(args.command) ? args.command.at(-1) : undefined;
      if (text !== undefined) args.patch ??= text;
    },
  },
);

export const applyPatch = defineEditTool({
  number: 38,
  name: 'apply_patch',
  description: `Changes several files with one patch; all of it applies or nothing does.
The patch is text in this form:
*** Begin Patch
*** Update File: src/a.ts
@@ function greet() {
 unchanged line
-removed line
+added line
*** Add File: src/new.ts
+every line with a plus
*** Delete File: src/old.ts
*** End Patch
Inside an update, lines begin with a space (context), - (remove) or + (add). Give about three lines of context on each side; where that is not unique, name the enclosing function or class after @@. To rename, put "*** Move to: new/path" right after the update line. To match the end of a file, close the hunk with "*** End of File". Context must be copied exactly from the file; there are no line numbers.`,
  args: ARGS,
  uses: ({ patch }) => usesOfSections(sectionsOrNone(patch)),
  plan: async ({ patch }, context) => {
    const sections = parseV4aPatch(patch);
    const changes = await planSections(context, sections);
    return {
      changes,
      summary:
        changes.length === 0
          ? 'The patch changes nothing: the files are already as it wants them.'
          : `Applied the patch to ${changes.length === 1 ? '1 file' : `${changes.length} files`}: ${sections.map(sectionLine).join('; ')}.`,
      editsApplied: sections.reduce(
        (sum, section) => sum + (section.type === 'update' ? section.hunks.length : 1),
        0,
      ),
    };
  },
});

/** A patch that cannot be read touches nothing. */
function sectionsOrNone(patch: string): PatchSection[] {
  try {
    return parseV4aPatch(patch);
  } catch {
    return [];
  }
}

export function sectionLine(section: PatchSection): string {
  switch (section.type) {
    case 'add':
      return `added ${section.path}`;
    case 'delete':
      return `deleted ${section.path}`;
    case 'update':
      return section.moveTo === undefined
        ? `updated ${section.path}`
        : `${section.isCopy ? 'copied' : 'moved'} ${section.path} to ${section.moveTo}`;
  }
}
