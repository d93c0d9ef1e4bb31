import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject } from '../../core/index.ts';
import type { ToolOutcome } from '../tool-outcome.ts';

/** What outlives the process of a call that changes things: that it began, and how it ended. */
export interface CallRecord {
  /** Of the name and the arguments; the same id for something else is another matter. */
  readonly fingerprint: string;
  /** Absent while it runs, or when the process died in the middle. */
  readonly outcome?: ToolOutcome;
}

export interface CallLedger {
  read(callId: string): Promise<CallRecord | undefined>;
  write(callId: string, record: CallRecord): Promise<void>;
}

export interface FolderLedgerOptions {
  /** Nobody repeats a call after so long. */
  readonly keepMs?: number;
  readonly nowMs?: () => number;
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** One small file per call. Call ids are only unique in their conversation, so each has a folder of its own. */
export function createFolderLedger(folder: string, options: FolderLedgerOptions = {}): CallLedger {
  const { keepMs = WEEK_MS, nowMs = Date.now } = options;
  let isPruned = false;
  const fileOf = (callId: string) =>
    path.join(folder, `${createHash('sha256').update(callId).digest('hex').slice(0, 32)}.json`);
  return {
    read: async (callId) => {
      const text = await readFile(fileOf(callId), 'utf8').catch(() => undefined);
      return text === undefined ? undefined : readRecord(text);
    },
    write: async (callId, record) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (!isPruned) void removeOlder(folder, nowMs() - keepMs);
      isPruned = true;
      const file = fileOf(callId);
      await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600, flush: true });
      await rename(`${file}.new`, file);
    },
  };
}

/** Beside the work, and never in its way. */
async function removeOlder(folder: string, beforeMs: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found && found.mtimeMs < beforeMs) await rm(file, { force: true }).catch(() => undefined);
  }
}

/** A damaged record still says that the call began: it counts as one whose end is unknown. */
function readRecord(text: string): CallRecord {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value) && typeof value.fingerprint === 'string') return value as unknown as CallRecord; // our own file
  } catch {
    // falls through
  }
  return { fingerprint: '' };
}
