import { claudeCode } from './claude-code.ts';
import type { ConnectClient } from './client.ts';
import { codex } from './codex.ts';
import { continueClient } from './continue.ts';
import { opencode } from './opencode.ts';
import { aiSdk, cline, cursor, cursorCli, cursorSdk, openaiSdk } from './printed-clients.ts';

export type { ConnectClient, ConnectTarget, Places } from './client.ts';

/** Every client `crosspoint connect` knows, each with the front it needs. */
export const CONNECT_CLIENTS: readonly ConnectClient[] = [
  opencode,
  codex,
  claudeCode,
  cline,
  continueClient,
  cursor,
  cursorSdk,
  cursorCli,
  openaiSdk,
  aiSdk,
];
