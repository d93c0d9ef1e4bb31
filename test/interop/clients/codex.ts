// Codex speaks Responses only. Its own sandbox is switched off: it needs rights that containers do not give, and the
// run is contained already.
import { type InteropClient, KEY } from './client.ts';

const FLAGS = [
  '--skip-git-repo-check',
  '--dangerously-bypass-approvals-and-sandbox',
  ...['-c', 'check_for_update_on_startup=false'],
  ...['-c', 'analytics.enabled=false'],
];

export const codex: InteropClient = {
  name: 'codex',
  title: 'Codex CLI',
  packageName: '@openai/codex',
  version: '0.166.0',
  bin: 'codex',
  args: (prompt) => ['exec', ...FLAGS, prompt],
  resumeArgs: (prompt) => ['exec', 'resume', '--last', ...FLAGS, prompt],
  env: { CROSSPOINT_API_KEY: KEY },
  ways: [
    { front: 'openai-responses', configuration: { by: 'connect' } },
    // Edits through a custom tool with a grammar.
    { front: 'openai-responses', configuration: { by: 'connect' }, modelAlias: 'gpt-5.5' },
    // "Responses lite": tools arrive as an input item, and one of them takes JavaScript that calls the others.
    {
      front: 'openai-responses',
      configuration: { by: 'connect' },
      modelAlias: 'gpt-6-sol',
      forbidsParallelCalls: true,
    },
  ],
};
