// Codex CLI's config.toml: a model provider, and the model that uses it. Known from developers.openai.com/codex/config.
// Codex speaks Responses only and takes the key from the variable that env_key names.
import path from 'node:path';
import { setTomlKey, tomlString } from '../edit-toml.ts';
import type { ConnectClient, ConnectTarget } from './client.ts';

export const CODEX_KEY_VARIABLE = 'CROSSPOINT_API_KEY';

function edit({ url, model }: ConnectTarget, before: string): string {
  const provider = ['model_providers', 'crosspoint'];
  const values: [table: string[], key: string, value: string][] = [
    [[], 'model', model],
    [[], 'model_provider', 'crosspoint'],
    [provider, 'name', 'Crosspoint'],
    [provider, 'base_url', `${url}/v1`],
    [provider, 'wire_api', 'responses'],
    [provider, 'env_key', CODEX_KEY_VARIABLE],
  ];
  return values.reduce(
    (text, [table, key, value]) => setTomlKey(text, table, key, tomlString(value)),
    before,
  );
}

export const codex: ConnectClient = {
  name: 'codex',
  title: 'Codex CLI',
  front: 'openai-responses',
  describe: (target) =>
    `Put this into ~/.codex/config.toml:\n\n${edit(target, '')}\n` +
    `Codex reads the key from a variable; put this into your shell's profile:\n\n` +
    `  export ${CODEX_KEY_VARIABLE}=${target.key}\n`,
  settings: {
    files: ({ home, env }) => [path.join(env.CODEX_HOME || path.join(home, '.codex'), 'config.toml')],
    edit: (target) => (before) => edit(target, before),
  },
};
