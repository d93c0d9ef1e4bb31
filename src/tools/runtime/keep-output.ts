import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ToolOutcome } from '../tool-outcome.ts';
import { MAX_CONTENT_CHARACTERS, trimMiddle } from '../trim-output.ts';

export interface KeepOptions {
  readonly callId: string;
  readonly stateFolder: string;
  readonly maxCharacters?: number | undefined;
}

/** A result too long for a model is cut in the middle; the whole of it goes to a file the model may read. */
export async function keepOutput(outcome: ToolOutcome, options: KeepOptions): Promise<ToolOutcome> {
  const max = options.maxCharacters ?? MAX_CONTENT_CHARACTERS;
  if (!outcome.ok || outcome.content.length <= max) return outcome;
  const known = outcome.attachments?.output_location;
  const location = typeof known === 'string' ? known : await saveOutput(outcome.content, options);
  const hint =
    location === undefined ? 'the whole output could not be saved' : `the whole output is in ${location}`;
  const { text } = trimMiddle(outcome.content, max, hint);
  const attachments =
    location === undefined ? outcome.attachments : { ...outcome.attachments, output_location: location };
  return attachments === undefined
    ? { ...outcome, content: text }
    : { ...outcome, content: text, attachments };
}

/** A full disk costs the handle, not the result. */
async function saveOutput(
  content: string,
  { callId, stateFolder }: KeepOptions,
): Promise<string | undefined> {
  const folder = path.join(stateFolder, 'outputs');
  // Call ids are strangers' text; a hash is a safe file name.
  const name = createHash('sha256').update(callId).digest('hex').slice(0, 24);
  const file = path.join(folder, `${name}.txt`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(file, content, { mode: 0o600 });
    return file;
  } catch {
    return undefined;
  }
}
