// OpenCode's settings: a provider of its own kind per OpenAI-compatible server. Known from opencode.ai/docs/providers.
import path from 'node:path';
import { type JsonSetting, setJsonValues } from '../edit-json.ts';
import type { ConnectClient, ConnectTarget } from './client.ts';

function settings({ url, model, models, key, isModelChosen }: ConnectTarget): JsonSetting[] {
  const provider = ['provider', 'crosspoint'];
  return [
    { path: [...provider, 'npm'], value: '@ai-sdk/openai-compatible' },
    { path: [...provider, 'name'], value: 'Crosspoint' },
    { path: [...provider, 'options', 'baseURL'], value: `${url}/v1` },
    { path: [...provider, 'options', 'apiKey'], value: key },
    ...models.map((id): JsonSetting => ({ path: [...provider, 'models', id, 'name'], value: id })),
    ...(isModelChosen ? [{ path: ['model'], value: `crosspoint/${model}` }] : []),
  ];
}

export const opencode: ConnectClient = {
  name: 'opencode',
  title: 'OpenCode',
  front: 'openai-chat',
  describe: (target) =>
    `Put this into ~/.config/opencode/opencode.json:\n\n${setJsonValues('', settings(target))}\n` +
    `Then choose a model with /models, or start with:\n\n  opencode --model crosspoint/${target.model}\n`,
  settings: {
    files: ({ configHome }) => [
      path.join(configHome, 'opencode', 'opencode.jsonc'),
      path.join(configHome, 'opencode', 'opencode.json'),
    ],
    edit: (target) => (before) => setJsonValues(before, settings(target)),
  },
};
