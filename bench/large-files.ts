// Inputs that are too large for a repository, made in a temporary folder.
import { mkdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';

const FILES_PER_FOLDER = 100;
const LINE = '2026-01-01T00:00:00Z info request 0123456789abcdef served in 12 ms\n';
const LINES_PER_BLOCK = 20_000;

/** Two levels of folders with a hundred small files each; every hundredth folder has one rare word. */
export function makeTree(tree: string, fileCount: number): void {
  for (let folder = 0; folder < fileCount / FILES_PER_FOLDER; folder++) {
    const where = path.join(tree, `part${folder % 20}`, `d${folder}`);
    mkdirSync(where, { recursive: true });
    for (let file = 0; file < FILES_PER_FOLDER; file++) {
      const rare = folder % 100 === 0 && file === 0 ? `rare_word_${folder}\n` : '';
      writeFileSync(path.join(where, `f${file}.ts`), `export const value${file} = 'value ${file}';\n${rare}`);
    }
  }
}

/** A log of lines that all say the same, with a needle now and then. */
export async function makeLog(file: string, sizeBytes: number): Promise<void> {
  mkdirSync(path.dirname(file), { recursive: true });
  const block = LINE.repeat(LINES_PER_BLOCK);
  const handle = await open(file, 'w');
  for (let written = 0, index = 0; written < sizeBytes; written += block.length, index++) {
    await handle.write(index % 500 === 0 ? `${block}needle_${index}\n` : block);
  }
  await handle.close();
}
