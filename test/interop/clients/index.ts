import { claudeCode } from './claude-code.ts';
import type { ClientWay, InteropClient } from './client.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { continueCli } from './continue.ts';
import { opencode } from './opencode.ts';

export {
  type ClientFront,
  type ClientWay,
  type Configuration,
  DEMO_MODEL,
  type InteropClient,
  KEY,
  type Target,
} from './client.ts';

/** THE list: one line per client. */
export const CLIENTS: readonly InteropClient[] = [opencode, codex, claudeCode, cline, continueCli];

/** What the row of a client and its way is called. */
export function describeWay({ front, modelAlias }: ClientWay): string {
  return modelAlias === undefined ? front : `${front} as ${modelAlias}`;
}
