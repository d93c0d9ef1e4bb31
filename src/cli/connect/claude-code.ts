// Claude Code's settings.json: variables under `env` apply to every session. Known from code.claude.com/docs/settings.
import path from 'node:path';
import { type JsonSetting, setJsonValues } from '../edit-json.ts';
import type { ConnectClient, ConnectTarget } from './client.ts';

function settings({ url, key, model }: ConnectTarget): JsonSetting[] {
  return [
    { path: ['env', 'ANTHROPIC_BASE_URL'], value: url },
    { path: ['env', 'ANTHROPIC_AUTH_TOKEN'], value: key },
    { path: ['env', 'ANTHROPIC_MODEL'], value: model },
  ];
}

export const claudeCode: ConnectClient = {
  name: 'claude-code',
  title: 'Claude Code',
  front: 'anthropic-messages',
  describe: (target) =>
    `Put this into ~/.claude/settings.json:\n\n${setJsonValues('', settings(target))}\n` +
    'Or for one session only:\n\n' +
    `  ANTHROPIC_BASE_URL=${target.url} ANTHROPIC_AUTH_TOKEN=${target.key} ANTHROPIC_MODEL=${target.model} claude\n`,
  settings: {
    files: ({ home, env }) => [
      path.join(env.CLAUDE_CONFIG_DIR || path.join(home, '.claude'), 'settings.json'),
    ],
    edit: (target) => (before) => setJsonValues(before, settings(target)),
  },
};
