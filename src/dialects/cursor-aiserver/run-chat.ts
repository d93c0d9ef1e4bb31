// One answer: a request becomes a task, the run's events become messages, and calls go to the client and come back.
import { type AgentCall, type AgentEvent, GatewayError, omitUndefined } from '../../core/index.ts';
import type { StreamUnifiedChatRequest } from '../../gen/aiserver/v1/chat_request_pb.ts';
import type { NativeContext } from '../native-front.ts';
import type { AiserverHost } from './aiserver-host.ts';
import { AnswerWriter } from './answer-writer.ts';
import { CallWriter } from './call-writer.ts';
import { createClientTools } from './client-tools.ts';
import { type DecodedTask, decodeTask } from './decode-task.ts';
import type { ResponseStream } from './response-stream.ts';
import type { ResultDesk } from './result-desk.ts';
import { ToolShelf } from './tool-shelf.ts';

/** What holds for every run of a front. */
export interface ChatSettings {
  readonly host: AiserverHost;
  readonly callTimeoutMs: number;
  /** Whether calls of tools that clients stream are repeated while the model writes them. */
  readonly streamsCalls: boolean;
}

export interface ChatRun {
  readonly settings: ChatSettings;
  readonly context: NativeContext;
  readonly request: StreamUnifiedChatRequest;
  readonly stream: ResponseStream;
  readonly desk: ResultDesk;
  /** False for the form of the call that has no way back for results. */
  readonly hasTools: boolean;
  /** Fires when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

/** Resolves when the answer is complete or no longer wanted; throws the GatewayError with which it ended. */
export async function runChat(chat: ChatRun): Promise<void> {
  const { context, stream, desk } = chat;
  const { host, callTimeoutMs, streamsCalls } = chat.settings;
  const { onDrift, newId } = context;
  const decoded = decodeTask(chat.request, {
    messages: host.messages,
    listModelAlternatives: (model) => host.listModelAlternatives(model),
    headers: context.headers,
    newId,
    onDrift,
  });
  const { task, clientUpstream, ids } = decoded;
  const shelf = createShelf(chat, decoded);
  const { messages } = host;
  const wireIdOf = (callId: string) => ids.wireIdOf(callId);
  const calls = new CallWriter({ stream, messages, wireIdOf, streamsCalls, onDrift });
  const tools = createClientTools({ shelf, calls, desk, messages, callTimeoutMs, onDrift });
  const writer = new AnswerWriter({
    stream,
    calls,
    shelf,
    newId,
    contextWindow: once(() => contextWindowOf(host, context, task.model)),
    bubbleIds: chat.request.conversation.map(({ bubbleId }) => bubbleId).filter((id) => id !== ''),
    onDrift,
  });
  await writer.start();

  const stop = new AbortController();
  const signal = AbortSignal.any([chat.signal, stop.signal]);
  const round = new OpenRound();
  try {
    for await (const event of host.runAgent(
      omitUndefined({ task, tools, clientUpstream, signal }),
      context,
    )) {
      if (chat.signal.aborted) return;
      round.note(event);
      await writer.write(event);
      if (event.type === 'run-error') throw event.error;
      if (event.type === 'run-end' && event.reason === 'cancelled') throw cancelled(event.explanation);
    }
  } catch (thrown) {
    if (chat.signal.aborted) return;
    // A client that has closed its side answers no call, which is how the round ended.
    if (!(desk.isClosed && round.unanswered.length > 0)) throw thrown;
  } finally {
    stop.abort();
  }
  await handOver(round.unanswered, shelf, calls);
}

/** The calls of the round that is running, those with a result left out. */
class OpenRound {
  unanswered: readonly AgentCall[] = [];

  note(event: AgentEvent): void {
    if (event.type === 'round-open') this.unanswered = event.calls;
    else if (event.type === 'step-end') this.unanswered = [];
    else if (event.type === 'call-end') {
      this.unanswered = this.unanswered.filter(({ callId }) => callId !== event.call.callId);
    }
  }
}

/**
 * A client that has closed its side takes the calls with it and brings their results in its next request: public
 * gateways in front of stateless clients do so. The answer then ends with its calls, as answers of chat APIs do.
 */
async function handOver(open: readonly AgentCall[], shelf: ToolShelf, calls: CallWriter): Promise<void> {
  for (const call of open) {
    const tool = shelf.find(call.name);
    if (tool === undefined || calls.isSent(call.callId)) continue;
    const read = shelf.readArguments(tool, call);
    const prepared = read.ok ? await calls.prepare({ call, tool, args: read.args }) : undefined;
    if (prepared?.canBeRun) await prepared.send();
    else await calls.refuse(call.callId, read.ok ? 'The client cannot be told this call.' : read.message);
  }
}

function createShelf({ settings: { host }, hasTools }: ChatRun, decoded: DecodedTask): ToolShelf {
  if (!hasTools) return new ToolShelf(host, [], []);
  return new ToolShelf(host, decoded.supportedNumbers, decoded.mcpTools);
}

async function contextWindowOf(
  host: AiserverHost,
  context: NativeContext,
  model: string,
): Promise<number | undefined> {
  try {
    const models = await host.listModels(context);
    const isDefault = /^(?:default|auto)?$/i.test(model);
    return (models.find(({ id }) => id === model) ?? (isDefault ? models[0] : undefined))?.contextWindow;
  } catch {
    return undefined; // a number for the client's status line is worth no error
  }
}

function once<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let asked: Promise<Value> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
}

function cancelled(explanation: string | undefined): GatewayError {
  return new GatewayError('cancelled', explanation ?? 'The run was cancelled.');
}
