// A chat server that plays a model: one round of calls after the other, then a closing word. It keeps nothing between
// requests: which round is due follows from the conversation it is sent, so that it can be asked again after a break.
import { chunk, DONE, type ScriptedUpstream, startScriptedUpstream, startSse } from '../scripted-upstream.ts';

export interface ScriptedCall {
  readonly name: string;
  readonly args: object;
}

export interface ModelMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
  readonly tool_call_id?: string;
}

export interface ScriptedModel extends ScriptedUpstream {
  /** The conversation of every request, in order. */
  conversations(): readonly (readonly ModelMessage[])[];
  /** The results that the last request held since the user last spoke. */
  results(): readonly string[];
  /** The names of the tools that the last request offered. */
  toolNames(): readonly string[];
}

export interface ScriptOptions {
  /** Said after the last round. */
  readonly closing?: string;
  readonly thinking?: string;
  /** Awaited before an answer begins. */
  readonly before?: (index: number) => Promise<void> | void;
}

interface ChatBody {
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

export async function startScriptedModel(
  rounds: readonly (readonly ScriptedCall[])[],
  options: ScriptOptions = {},
): Promise<ScriptedModel> {
  let nextId = 0;
  const bodies: ChatBody[] = [];
  const upstream = await startScriptedUpstream(async (response, request, index) => {
    const body = JSON.parse(request.body) as ChatBody; // the gateway writes it
    bodies.push(body);
    const { messages } = body;
    await options.before?.(index);
    if (response.destroyed) return;
    const done = sinceUser(messages).filter(({ tool_calls: calls }) => (calls?.length ?? 0) > 0).length;
    const calls = rounds[done];
    // A kept connection may be closed by this server just when it is used again.
    response.shouldKeepAlive = false;
    startSse(response);
    response.write(chunk({ role: 'assistant', content: '' }));
    if (options.thinking !== undefined && done === 0)
      response.write(chunk({ reasoning_content: options.thinking }));
    if (calls === undefined) {
      response.write(chunk({ content: options.closing ?? 'All done.' }));
      response.end(chunk({}, 'stop') + DONE);
      return;
    }
    // New ids for every answer, as real models give them: only what was kept of a round can name its calls again.
    const toolCalls = calls.map(({ name, args }, position) => ({
      index: position,
      id: `call_${nextId++}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }));
    response.write(chunk({ content: `Round ${done + 1}. ` }));
    response.write(chunk({ tool_calls: toolCalls }));
    response.end(chunk({}, 'tool_calls') + DONE);
  });
  return {
    ...upstream,
    conversations: () => bodies.map(({ messages }) => messages),
    results: () =>
      sinceUser(bodies.at(-1)?.messages ?? [])
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => textOf(content)),
    toolNames: () => (bodies.at(-1)?.tools ?? []).map(({ function: { name } }) => name),
  };
}

function sinceUser(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
}

export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('');
}
