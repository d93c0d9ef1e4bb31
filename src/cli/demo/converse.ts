import { GatewayError } from '../../core/index.ts';
import { type SseFrame, SseReader } from '../../wire/sse.ts';
import type { DemoClient, DemoMessage, DemoReply, DemoResult, DemoTarget } from './demo-client.ts';

/** One conversation as a client of one front holds it: the client keeps the history and sends it whole. */
export interface DemoConversation {
  say(text: string): Promise<DemoReply>;
  answer(results: readonly DemoResult[]): Promise<DemoReply>;
}

export function converse(client: DemoClient, target: DemoTarget): DemoConversation {
  const messages: DemoMessage[] = [];
  const turn = async (message: DemoMessage): Promise<DemoReply> => {
    messages.push(message);
    const response = await post(client, target, messages);
    const reply = target.stream
      ? await client.readStream(readFrames(response))
      : client.readWhole(await response.json());
    messages.push({ from: 'model', reply });
    return reply;
  };
  return {
    say: (text) => turn({ from: 'user', text }),
    answer: (results) => turn({ from: 'tools', results }),
  };
}

async function post(
  client: DemoClient,
  { url, model, tools, stream, fetch, signal }: DemoTarget,
  messages: readonly DemoMessage[],
): Promise<Response> {
  const response = await fetch(url + client.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(client.encodeRequest({ model, messages, tools, stream })),
    signal,
  });
  if (response.ok) return response;
  const text = (await response.text()).slice(0, 500);
  throw new GatewayError('upstream-rejected', `The gateway answered status ${response.status}: ${text}`);
}

export async function* readFrames(response: Response): AsyncIterable<SseFrame> {
  const reader = new SseReader();
  for await (const chunk of response.body ?? []) yield* reader.push(chunk);
}
