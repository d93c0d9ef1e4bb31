// aiserver.v1 `ChatService`: unified chat with tools that the client runs, in all the forms that clients have of it.
// Known from public reconstructions of Cursor's protobuf files and from public clients (docs/protocols/cursor-aiserver.md);
// nothing here was tried against Cursor's own IDE.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { GatewayError, invalidRequest } from '../../core/index.ts';
import {
  type StreamUnifiedChatRequest,
  StreamUnifiedChatRequestSchema,
  type StreamUnifiedChatRequestWithTools,
  StreamUnifiedChatRequestWithToolsSchema,
} from '../../gen/aiserver/v1/chat_request_pb.ts';
import {
  StreamUnifiedChatResponseSchema,
  StreamUnifiedChatResponseWithToolsIdempotentSchema,
  StreamUnifiedChatResponseWithToolsSchema,
} from '../../gen/aiserver/v1/chat_response_pb.ts';
import { WarmStreamUnifiedChatWithToolsResponseSchema } from '../../gen/aiserver/v1/chat_service_pb.ts';
import { ConversationSummarySchema } from '../../gen/aiserver/v1/common_pb.ts';
import { encodeConnectError } from '../connect-errors.ts';
import {
  defineUnary,
  type MessageChannel,
  type NativeContext,
  type NativeFront,
  type StreamMethod,
} from '../native-front.ts';
import { NativeOutbox } from '../native-outbox.ts';
import { REAL_TIMERS, type Timers } from '../upstream-timers.ts';
import type { AiserverHost } from './aiserver-host.ts';
import { ChatInbox } from './chat-inbox.ts';
import type { RunSettings } from './idempotent-run.ts';
import { IdempotentRuns } from './idempotent-runs.ts';
import { chatResponse, type ResponseStream, SILENCE_MS } from './response-stream.ts';
import { ResultDesk } from './result-desk.ts';
import { runChat } from './run-chat.ts';
import { summarizeConversation } from './summarize.ts';

const SERVICE = 'aiserver.v1.ChatService';
const HOUR_MS = 3_600_000;

export interface CursorAiserverOptions {
  readonly timers?: Timers;
  /** How long a client may take for one call; those that wait for a person have no limit. */
  readonly callTimeoutMs?: number;
  /** False: every call is one message, also of tools that clients are known to stream. */
  readonly streamsCalls?: boolean;
}

export function createCursorAiserverFront(
  host: AiserverHost,
  options: CursorAiserverOptions = {},
): NativeFront {
  const { timers = REAL_TIMERS, callTimeoutMs = HOUR_MS, streamsCalls = true } = options;
  const settings: RunSettings = { host, timers, callTimeoutMs, streamsCalls };
  const runs = new IdempotentRuns(settings, IDEMPOTENT_KEEP_ALIVE);
  const idempotent: StreamMethod['open'] = (channel, context) => runs.open(channel, context);
  const withTools: StreamMethod['open'] = (channel, context) => {
    return openChat(WITH_TOOLS, channel, context, settings);
  };
  return {
    dialect: 'cursor-aiserver',
    services: [SERVICE],
    streams: [
      stream('StreamUnifiedChatWithTools', 'bidi', withTools),
      stream('StreamUnifiedChatWithToolsSSE', 'appended', withTools),
      stream('StreamUnifiedChatWithToolsIdempotent', 'bidi', idempotent),
      stream('StreamUnifiedChatWithToolsIdempotentSSE', 'appended', idempotent),
      stream('StreamUnifiedChat', 'bidi', (channel, context) => openChat(BARE, channel, context, settings)),
    ],
    unary: [
      defineUnary({
        path: `/${SERVICE}/WarmStreamUnifiedChatWithTools`,
        input: StreamUnifiedChatRequestWithToolsSchema,
        output: WarmStreamUnifiedChatWithToolsResponseSchema,
        handle: async () => ({}),
      }),
      defineUnary({
        path: `/${SERVICE}/GetConversationSummary`,
        input: StreamUnifiedChatRequestSchema,
        output: ConversationSummarySchema,
        needsTools: true,
        handle: (request, context) => summarizeConversation(request, host, context),
      }),
    ],
    encodeError: encodeConnectError,
  };
}

function stream(method: string, form: StreamMethod['form'], open: StreamMethod['open']): StreamMethod {
  return { path: `/${SERVICE}/${method}`, form, open };
}

const IDEMPOTENT_KEEP_ALIVE = toBinary(
  StreamUnifiedChatResponseWithToolsIdempotentSchema,
  create(StreamUnifiedChatResponseWithToolsIdempotentSchema, {
    response: { case: 'serverChunk', value: chatResponse({}) },
  }),
);

/** How one form of the call writes its messages. */
interface ChatForm {
  readonly hasTools: boolean;
  readonly keepAlive: Uint8Array;
  decode(bytes: Uint8Array): StreamUnifiedChatRequestWithTools;
  createStream(sender: NativeOutbox): ResponseStream;
}

const WITH_TOOLS: ChatForm = {
  hasTools: true,
  keepAlive: toBinary(StreamUnifiedChatResponseWithToolsSchema, chatResponse({})),
  decode: (bytes) => fromBinary(StreamUnifiedChatRequestWithToolsSchema, bytes),
  createStream: (sender) => ({
    send: (message) => sender.send(toBinary(StreamUnifiedChatResponseWithToolsSchema, message)),
  }),
};

/** `StreamUnifiedChat`: bare messages and no way back for results. */
const BARE: ChatForm = {
  hasTools: false,
  keepAlive: new Uint8Array(),
  decode: (bytes) => wrapRequest(fromBinary(StreamUnifiedChatRequestSchema, bytes)),
  createStream: (sender) => ({
    send: async ({ response }) =>
      response.case !== 'streamUnifiedChatResponse' ||
      sender.send(toBinary(StreamUnifiedChatResponseSchema, response.value)),
  }),
};

function wrapRequest(value: StreamUnifiedChatRequest): StreamUnifiedChatRequestWithTools {
  return create(StreamUnifiedChatRequestWithToolsSchema, {
    request: { case: 'streamUnifiedChatRequest', value },
  });
}

async function openChat(
  form: ChatForm,
  channel: MessageChannel,
  context: NativeContext,
  settings: RunSettings,
): Promise<void> {
  if (channel.isRepeated) throw notAgain();
  const { timers } = settings;
  const sender = new NativeOutbox(channel, { timers, silenceMs: SILENCE_MS, keepAlive: form.keepAlive });
  const desk = new ResultDesk(timers, context.onDrift);
  const inbox = new ChatInbox(desk, timers, context.onDrift);
  const signal = AbortSignal.any([channel.signal, inbox.broken]);
  void listen(form, channel, inbox);
  try {
    const request = await inbox.request;
    const { hasTools } = form;
    const answer = form.createStream(sender);
    await runChat({ settings, context, request, stream: answer, desk, hasTools, signal });
    if (inbox.broken.aborted) throw inbox.broken.reason;
  } finally {
    sender.close();
  }
}

/** Its messages have no numbers: what the client has seen, and which calls it has run, nobody knows. */
function notAgain(): GatewayError {
  return new GatewayError(
    'conflict',
    'This stream was opened before and cannot be taken up again. Send the conversation, results included, under a new request id, or use the idempotent form of this call.',
  );
}

async function listen(form: ChatForm, channel: MessageChannel, inbox: ChatInbox): Promise<void> {
  try {
    for await (const bytes of channel.incoming) inbox.accept(decode(form, bytes));
    inbox.close();
  } catch (thrown) {
    inbox.fail(thrown);
  }
}

function decode(form: ChatForm, bytes: Uint8Array): StreamUnifiedChatRequestWithTools {
  try {
    return form.decode(bytes);
  } catch {
    throw invalidRequest(`A message of ${bytes.length} bytes cannot be read as a request of this call.`);
  }
}
