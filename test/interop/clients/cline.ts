// Cline keeps its settings in its own format and has a command to fill them: `openai` is its name for compatible chat
// servers, `openai-native` speaks Responses. The local backend keeps it from leaving a daemon behind.
import { type ClientWay, type InteropClient, KEY, type Target } from './client.ts';

function wayThrough(provider: string, front: ClientWay['front']): ClientWay {
  const args = ({ url, model }: Target) => [
    'auth',
    '-p',
    provider,
    '-b',
    `${url}/v1`,
    '-k',
    KEY,
    '-m',
    model,
  ];
  return { front, configuration: { by: 'command', args } };
}

export const cline: InteropClient = {
  name: 'cline',
  title: 'Cline',
  packageName: 'cline',
  version: '3.0.65',
  bin: 'cline',
  args: (prompt) => [prompt],
  env: { CLINE_NO_AUTO_UPDATE: '1', CLINE_SESSION_BACKEND_MODE: 'local', DISABLE_TELEMETRY: '1' },
  ways: [wayThrough('openai', 'openai-chat'), wayThrough('openai-native', 'openai-responses')],
};
