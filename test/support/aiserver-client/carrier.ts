// One stream of unified chat, by the protocol's own two ways: one HTTP/2 request, or an SSE-named stream with appends
// beside it. The client is Connect's own (@connectrpc/connect-node) over the generated services, so that framing and
// compression are judged by somebody else's code.
import http from 'node:http';
import { type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { createClient, type Interceptor, type Transport } from '@connectrpc/connect';
import { compressionGzip, createConnectTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { BidiService } from '../../../src/gen/aiserver/v1/bidi_pb.ts';
import {
  type StreamUnifiedChatRequestWithTools,
  type StreamUnifiedChatRequestWithToolsIdempotent,
  StreamUnifiedChatRequestWithToolsIdempotentSchema,
  StreamUnifiedChatRequestWithToolsSchema,
} from '../../../src/gen/aiserver/v1/chat_request_pb.ts';
import type {
  StreamUnifiedChatResponseWithTools,
  StreamUnifiedChatResponseWithToolsIdempotent,
} from '../../../src/gen/aiserver/v1/chat_response_pb.ts';
import { ChatService } from '../../../src/gen/aiserver/v1/chat_service_pb.ts';
import { PushQueue } from '../native-client/push-queue.ts';

/** `bidi`: one HTTP/2 stream without TLS. `sse`: HTTP/1.1 and BidiAppend. */
export type CarrierKind = 'bidi' | 'sse';
export const CARRIERS: readonly CarrierKind[] = ['bidi', 'sse'];

export interface CarrierOptions {
  readonly kind: CarrierKind;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string;
  /** Everything that the client says is compressed, however small. */
  readonly isCompressed?: boolean;
  /** Appends carry bytes instead of hexadecimal digits. */
  readonly appendsBytes?: boolean;
}

export interface Carrier<Out, In> {
  /** Throws a ConnectError when the server ends with one or the connection breaks. */
  readonly frames: AsyncIterable<In>;
  send(message: Out): void;
  /** No more messages of the client. Appended messages have no such word. */
  halfClose(): void;
  /** Drops the connection as a broken network does. */
  cut(): void;
}

export function openChat(
  options: CarrierOptions,
): Carrier<StreamUnifiedChatRequestWithTools, StreamUnifiedChatResponseWithTools> {
  return open(options, StreamUnifiedChatRequestWithToolsSchema, {
    bidi: (transport, outgoing, signal) =>
      createClient(ChatService, transport).streamUnifiedChatWithTools(outgoing, { signal }),
    sse: (transport, requestId, signal) =>
      createClient(ChatService, transport).streamUnifiedChatWithToolsSSE({ requestId }, { signal }),
  });
}

export function openIdempotentChat(
  options: CarrierOptions,
): Carrier<StreamUnifiedChatRequestWithToolsIdempotent, StreamUnifiedChatResponseWithToolsIdempotent> {
  return open(options, StreamUnifiedChatRequestWithToolsIdempotentSchema, {
    bidi: (transport, outgoing, signal) =>
      createClient(ChatService, transport).streamUnifiedChatWithToolsIdempotent(outgoing, { signal }),
    sse: (transport, requestId, signal) =>
      createClient(ChatService, transport).streamUnifiedChatWithToolsIdempotentSSE({ requestId }, { signal }),
  });
}

/** For unary calls. */
export function createUnaryTransport(
  options: Pick<CarrierOptions, 'url' | 'headers' | 'isCompressed'>,
): Transport {
  return createConnectTransport({ baseUrl: options.url, httpVersion: '1.1', ...shared(options) });
}

interface Methods<Out extends DescMessage, In> {
  bidi(
    transport: Transport,
    outgoing: AsyncIterable<MessageShape<Out>>,
    signal: AbortSignal,
  ): AsyncIterable<In>;
  sse(transport: Transport, requestId: string, signal: AbortSignal): AsyncIterable<In>;
}

function open<Out extends DescMessage, In>(
  options: CarrierOptions,
  schema: Out,
  methods: Methods<Out, In>,
): Carrier<MessageShape<Out>, In> {
  return options.kind === 'bidi' ? openBidi(options, methods) : openAppended(options, schema, methods);
}

function openBidi<Out extends DescMessage, In>(
  options: CarrierOptions,
  methods: Methods<Out, In>,
): Carrier<MessageShape<Out>, In> {
  const session = new Http2SessionManager(options.url);
  const transport = createConnectTransport({
    baseUrl: options.url,
    httpVersion: '2',
    sessionManager: session,
    ...shared(options),
  });
  const queue = new PushQueue<MessageShape<Out>>();
  const stop = new AbortController();
  const leave = () => {
    queue.close();
    // The session goes down with its socket, so that the server sees a lost connection and not a reset.
    session.abort();
  };
  return {
    frames: ending(methods.bidi(transport, queue, stop.signal), leave),
    send: (message) => queue.push(message),
    halfClose: () => queue.close(),
    cut: () => {
      leave();
      stop.abort();
    },
  };
}

function openAppended<Out extends DescMessage, In>(
  options: CarrierOptions,
  schema: Out,
  methods: Methods<Out, In>,
): Carrier<MessageShape<Out>, In> {
  const { requestId } = options;
  const agent = new http.Agent({ keepAlive: true });
  const transport = createConnectTransport({
    baseUrl: options.url,
    httpVersion: '1.1',
    nodeOptions: { agent },
    ...shared(options),
  });
  const appends = createClient(BidiService, transport);
  const stop = new AbortController();
  let seqno = 0n;
  let failure: unknown;
  return {
    frames: ending(methods.sse(transport, requestId, stop.signal), () => {
      agent.destroy();
      if (failure !== undefined) throw failure;
    }),
    // Not awaited: appends overtake each other.
    send: (message) => {
      const bytes = toBinary(schema, message);
      const content = options.appendsBytes
        ? { dataBinary: bytes }
        : { data: Buffer.from(bytes).toString('hex') };
      appends
        .bidiAppend({ ...content, requestId: { requestId }, appendSeqno: seqno++ }, { signal: stop.signal })
        .catch((error: unknown) => {
          if (stop.signal.aborted) return;
          failure = error;
          stop.abort();
        });
    },
    halfClose: () => {},
    cut: () => {
      stop.abort();
      agent.destroy();
    },
  };
}

async function* ending<T>(frames: AsyncIterable<T>, release: () => void): AsyncGenerator<T> {
  try {
    yield* frames;
  } finally {
    release();
  }
}

function shared({ headers, isCompressed = false }: Pick<CarrierOptions, 'headers' | 'isCompressed'>) {
  const addHeaders: Interceptor = (next) => (request) => {
    for (const [name, value] of Object.entries(headers)) request.header.set(name, value);
    return next(request);
  };
  const compression = isCompressed ? { sendCompression: compressionGzip, compressMinBytes: 1 } : {};
  return { interceptors: [addHeaders], ...compression };
}
