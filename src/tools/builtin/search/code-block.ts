import type { JsonObject } from '../../../core/index.ts';
import type { ToolContext } from '../../tool-context.ts';
import { readSourceFile } from './read-source-file.ts';

export const MAX_BLOCK_FILE_BYTES = 2_000_000;

export interface CodePlace {
  /** Relative to the workspace. */
  readonly file: string;
  /** Lines count from 1; an end of 0 means the end of the file. */
  readonly startLine: number;
  readonly endLine: number;
  readonly score: number;
}

export interface CodeBlock extends CodePlace {
  readonly ok: true;
  readonly contents: string;
}

export interface MissingBlock {
  readonly ok: false;
  readonly reason: 'too-large' | 'not-found';
}

/** The text of a place as it is on disk now. */
export async function readCodeBlock(
  place: CodePlace,
  context: ToolContext,
): Promise<CodeBlock | MissingBlock> {
  const source = await readSourceFile(
    context.workspace.absolute(place.file),
    context.workspace,
    MAX_BLOCK_FILE_BYTES,
  );
  if (!source.ok) return { ok: false, reason: source.reason === 'too-large' ? 'too-large' : 'not-found' };
  const lines = source.text.split(/\r?\n/);
  const endLine = Math.min(place.endLine > 0 ? place.endLine : lines.length, lines.length);
  const startLine = Math.min(Math.max(1, place.startLine), Math.max(1, endLine));
  return { ...place, ok: true, startLine, endLine, contents: lines.slice(startLine - 1, endLine).join('\n') };
}

export function formatCodeBlock(block: CodeBlock): string {
  const numbered = block.contents
    .split('\n')
    .map((line, index) => `${String(block.startLine + index).padStart(6)}|${line}`);
  return `${block.file}:${block.startLine}-${block.endLine}\n${numbered.join('\n')}`;
}

/** In the shape of the native `CodeResult`. */
export function codeBlockData(block: CodeBlock): JsonObject {
  return {
    code_block: {
      relative_workspace_path: block.file,
      range: {
        start_position: { line: block.startLine, column: 1 },
        end_position: { line: block.endLine, column: 1 },
      },
      contents: block.contents,
    },
    score: block.score,
  };
}
