// Writes the V4A patch format that Codex's apply_patch and Cursor's ApplyPatch take as free text.
// Known from their grammars: an envelope, one section per file, `+`, `-` and blank as line marks.
import type { ToolIntent } from './intent.ts';

/** The patch for a wish, or undefined when a patch cannot express it. */
export function patchFor(intent: ToolIntent): string | undefined {
  switch (intent.kind) {
    case 'write':
      return envelope(`*** Add File: ${intent.path}`, linesOf(intent.content), '+');
    case 'delete':
      return envelope(`*** Delete File: ${intent.path}`, [], '');
    case 'edit': {
      // Right only when the text stands on lines of its own: the file itself is not known here.
      const removed = linesOf(intent.oldText).map((line) => `-${line}`);
      const added = linesOf(intent.newText).map((line) => `+${line}`);
      return envelope(`*** Update File: ${intent.path}`, ['@@', ...removed, ...added], '');
    }
    default:
      return undefined;
  }
}

function envelope(head: string, lines: readonly string[], mark: string): string {
  return ['*** Begin Patch', head, ...lines.map((line) => mark + line), '*** End Patch', ''].join('\n');
}

/** An empty file still needs one line: the grammars want at least one in an added file. */
function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}
