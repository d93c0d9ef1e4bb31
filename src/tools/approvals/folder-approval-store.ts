import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject } from '../../core/index.ts';
import type { Approval, ApprovalStore } from './approval.ts';

/** One file per approval, readable by the user alone; a half-written one is never seen. */
export function createFolderApprovalStore(folder: string): ApprovalStore {
  const fileOf = (id: string) => path.join(folder, `${encodeURIComponent(id)}.json`);
  // One after the other: an answer may come while the question is still being written, and must be what stays.
  let last: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>) => {
    last = last.catch(() => undefined).then(work);
    return last;
  };
  return {
    load: async () => {
      const names = await readdir(folder).catch(() => []);
      const files = names.filter((name) => name.endsWith('.json')).sort();
      const texts = await Promise.all(
        files.map((name) => readFile(path.join(folder, name), 'utf8').catch(() => '')),
      );
      return texts.flatMap(readApproval);
    },
    save: (approval) =>
      inTurn(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const file = fileOf(approval.id);
        await writeFile(`${file}.new`, JSON.stringify(approval), { mode: 0o600, flush: true });
        await rename(`${file}.new`, file);
      }),
    remove: (id) => inTurn(() => rm(fileOf(id), { force: true })),
  };
}

/** A file that is not ours is passed over: a damaged approval is as good as none, and none means ask again. */
function readApproval(text: string): Approval[] {
  try {
    const value: unknown = JSON.parse(text);
    const isWhole =
      isJsonObject(value) &&
      ['id', 'callId', 'fingerprint', 'state'].every((key) => typeof value[key] === 'string');
    return isWhole ? [value as unknown as Approval] : []; // written by `save` above
  } catch {
    return [];
  }
}
