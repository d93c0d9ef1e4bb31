import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { ToolContext } from '../../../tool-context.ts';
import { absoluteOf, listFiles } from '../../search/list-files.ts';
import type { SearchRoot } from '../../search/search-root.ts';

const MAX_LISTED = 20_000;

/** The files that targets stand for, recently changed ones first, at most `maxFiles`. */
export async function targetFiles(
  targets: readonly string[],
  root: SearchRoot,
  context: ToolContext,
  maxFiles: number,
  isWanted: (file: string) => boolean,
): Promise<{ files: string[]; left: number }> {
  const found = new Set<string>();
  for (const target of targets) {
    const place = {
      ...root,
      path: absoluteOf(root, target),
      argument: `.${path.sep}${target === '.' ? '' : target}`,
    };
    await listFiles(place, context, {}, (file) => {
      if (isWanted(file)) found.add(file);
      return found.size < MAX_LISTED;
    });
  }
  if (found.size <= maxFiles) return { files: [...found].sort(), left: 0 };
  const dated = await Promise.all(
    [...found].map(async (file) => ({
      file,
      mtimeMs: (await stat(absoluteOf(root, file)).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  );
  dated.sort((left, right) => right.mtimeMs - left.mtimeMs || (left.file < right.file ? -1 : 1));
  return { files: dated.slice(0, maxFiles).map(({ file }) => file), left: found.size - maxFiles };
}
