// Continue's command line: the dialect follows from the provider of the model in its config.yaml (docs.continue.dev).
import { type InteropClient, KEY, type Target } from './client.ts';

const messagesSettings = ({ url, model }: Target) => ({
  '.continue/config.yaml': [
    'name: Local config',
    'version: 1.0.0',
    'schema: v1',
    'models:',
    '  - name: Crosspoint',
    '    provider: anthropic',
    `    model: ${model}`,
    `    apiBase: ${url}/v1`,
    `    apiKey: ${KEY}`,
    '',
  ].join('\n'),
});

export const continueCli: InteropClient = {
  name: 'continue',
  title: 'Continue',
  packageName: '@continuedev/cli',
  version: '1.5.47',
  bin: 'cn',
  args: (prompt) => ['--print', '--auto', prompt],
  resumeArgs: (prompt) => ['--print', '--auto', '--resume', prompt],
  env: { CONTINUE_CLI_ENABLE_TELEMETRY: '0', CONTINUE_METRICS_ENABLED: '0' },
  ways: [
    { front: 'openai-chat', configuration: { by: 'connect' } },
    { front: 'anthropic-messages', configuration: { by: 'files', files: messagesSettings } },
  ],
};
