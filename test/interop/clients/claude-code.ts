// Claude Code refuses its skip-all-permissions flag to root, so the tools are allowed by name.
import type { InteropClient } from './client.ts';

const FLAGS = [
  '--print',
  ...['--permission-mode', 'acceptEdits'],
  ...['--allowedTools', 'Bash,Read,Write,Edit'],
];

export const claudeCode: InteropClient = {
  name: 'claude-code',
  title: 'Claude Code',
  packageName: '@anthropic-ai/claude-code',
  version: '2.1.325',
  bin: 'claude',
  args: (prompt) => [...FLAGS, '--', prompt],
  resumeArgs: (prompt) => [...FLAGS, '--continue', '--', prompt],
  env: {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
  },
  ways: [
    { front: 'anthropic-messages', configuration: { by: 'connect' } },
    // Models of different generations get different betas, thinking options and places for the system prompt.
    { front: 'anthropic-messages', configuration: { by: 'connect' }, modelAlias: 'claude-sonnet-4-5' },
  ],
};
