// The second half of a search whose first half ran elsewhere: places come in, their text goes out.
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { succeed } from '../../tool-outcome.ts';
import {
  type CodeBlock,
  type CodePlace,
  codeBlockData,
  formatCodeBlock,
  readCodeBlock,
} from './code-block.ts';
import { isHiddenPath } from './cursor-ignore.ts';
import { findSearchRoot, readTouch } from './search-root.ts';

const MAX_PLACES = 100;
const MAX_CHARACTERS = 90_000;

const place = z.strictObject({
  path: z.string().min(1).describe('File, relative to the workspace.'),
  start_line: z.number().int().min(1).default(1),
  end_line: z.number().int().min(0).default(0).describe('Last line; 0 for the end of the file.'),
  score: z.number().default(0),
});

const args = toolArguments(
  {
    query: z.string().default('').describe('What was searched for.'),
    code_results: z.array(place).max(MAX_PLACES).describe('The places that a search has found.'),
  },
  {
    aliases: { code_results: ['codeResults', 'results'] },
    ignored: ['repository_info', 'pr_references', 'pr_search_on'],
    rewrite(given) {
      if (Array.isArray(given.code_results)) given.code_results = given.code_results.map(flattenCodeResult);
    },
  },
);

export const readSemsearchFiles = defineTool({
  number: 1,
  name: 'read_semsearch_files',
  description:
    'Read the code at places that a search elsewhere has found. To search yourself use codebase_search.',
  args,
  risk: 'read',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: (given, context) => given.code_results.map((item) => readTouch(item.path, context)),
  async run(given, context) {
    const root = await findSearchRoot('.', context);
    if (!root.ok) return root;
    const blocks: CodeBlock[] = [];
    const missing: JsonObject[] = [];
    let characters = 0;
    for (const item of given.code_results) {
      const file = context.workspace.display(context.workspace.absolute(item.path));
      const wanted: CodePlace = {
        file,
        startLine: item.start_line,
        endLine: item.end_line,
        score: item.score,
      };
      const block = isHiddenPath(context.workspace, await context.workspace.resolve(item.path))
        ? ({ ok: false, reason: 'not-found' } as const)
        : await readCodeBlock(wanted, context);
      const isTooMuch = block.ok && characters + block.contents.length > MAX_CHARACTERS;
      if (block.ok && !isTooMuch) {
        blocks.push(block);
        characters += block.contents.length;
      } else {
        const reason = isTooMuch || (!block.ok && block.reason === 'too-large') ? 1 : 2;
        missing.push({ relative_workspace_path: file, missing_reason: reason });
      }
    }
    const notes = missing.map(
      (item) =>
        `[${item.relative_workspace_path} ${item.missing_reason === 1 ? 'is too large to show' : 'was not found'}]`,
    );
    const content = [...blocks.map(formatCodeBlock), ...notes].join('\n\n') || 'No places were given.';
    const files = [...new Set(blocks.map((block) => block.file))];
    const data = {
      code_results: blocks.map(codeBlockData),
      all_files: files.map((file) => ({ relative_workspace_path: file })),
      missing_files: missing,
    };
    return succeed(content, { data, attachments: { match_count: blocks.length } });
  },
});

/** `CodeResult` of the wire → our flat form. */
function flattenCodeResult(value: JsonValue): JsonValue {
  const block = isJsonObject(value) ? (value.code_block ?? value.codeBlock) : undefined;
  if (!isJsonObject(value) || !isJsonObject(block)) return value;
  const range = isJsonObject(block.range) ? block.range : {};
  const flat: Record<string, JsonValue> = {
    path: block.relative_workspace_path ?? block.relativeWorkspacePath ?? '',
    start_line: Math.max(1, lineOf(range.start_position ?? range.startPosition)),
    end_line: lineOf(range.end_position ?? range.endPosition),
  };
  if (typeof value.score === 'number') flat.score = value.score;
  return flat;
}

function lineOf(position: JsonValue | undefined): number {
  return isJsonObject(position) && typeof position.line === 'number' ? position.line : 0;
}
