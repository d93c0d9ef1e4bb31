// Asks as Cursor's servers do for a user with an own key: a Responses body on the chat path, read back as chat.
// Known from captured requests; see docs/protocols/cursor-byok.md.
import { type JsonObject, omitUndefined } from '../../core/index.ts';
import { chatClient } from './chat-client.ts';
import type { DemoAsk, DemoClient } from './demo-client.ts';
import { responsesClient } from './responses-client.ts';

export const byokClient: DemoClient = {
  name: 'cursor with an own key',
  front: 'cursor-byok',
  path: '/cursor/chat/completions',
  encodeRequest,
  readWhole: chatClient.readWhole,
  readStream: chatClient.readStream,
};

function encodeRequest(ask: DemoAsk): JsonObject {
  const { input, tools, stream } = responsesClient.encodeRequest(ask);
  return omitUndefined({ model: ask.model, input, tools, stream, user: 'demo' });
}
