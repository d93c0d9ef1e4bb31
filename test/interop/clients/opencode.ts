// OpenCode picks the dialect by the AI SDK provider named in its settings (opencode.ai/docs/providers); the three used
// here are part of its binary, others would be fetched from the registry at run time.
import { type ClientWay, type InteropClient, KEY, type Target } from './client.ts';

function wayThrough(npm: string, front: ClientWay['front']): ClientWay {
  const files = ({ url, model }: Target) => ({
    '.config/opencode/opencode.json': JSON.stringify({
      provider: {
        crosspoint: {
          npm,
          name: 'Crosspoint',
          options: { baseURL: `${url}/v1`, apiKey: KEY },
          models: { [model]: { name: model } },
        },
      },
      model: `crosspoint/${model}`,
    }),
  });
  return { front, configuration: { by: 'files', files } };
}

export const opencode: InteropClient = {
  name: 'opencode',
  title: 'OpenCode',
  packageName: 'opencode-ai',
  version: '1.18.33',
  bin: 'opencode',
  args: (prompt) => ['run', '--auto', prompt],
  resumeArgs: (prompt) => ['run', '--auto', '--continue', prompt],
  env: {
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_SHARE: '1',
  },
  ways: [
    { front: 'openai-chat', configuration: { by: 'connect' } },
    wayThrough('@ai-sdk/openai', 'openai-responses'),
    wayThrough('@ai-sdk/anthropic', 'anthropic-messages'),
  ],
};
