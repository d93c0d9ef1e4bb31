// One stream of a run, by the protocol's own two ways: one HTTP/2 request, or RunSSE with appends beside it. The client is
// Connect's own (@connectrpc/connect-node) over the generated services, so that framing is judged by somebody else's code.
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { create, toBinary } from '@bufbuild/protobuf';
import { createClient, type Interceptor } from '@connectrpc/connect';
import { createConnectTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { AgentService } from '../../../src/gen/agent/v1/agent_service_pb.ts';
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  type AgentServerMessage,
} from '../../../src/gen/agent/v1/run_pb.ts';
import { BidiService } from '../../../src/gen/aiserver/v1/bidi_pb.ts';
import { PushQueue } from './push-queue.ts';

/** `http1`: RunSSE and BidiAppend. `http2`: Run, without TLS by prior knowledge, with TLS as the URL says. */
export type CarrierKind = 'http1' | 'http2';

export interface CarrierOptions {
  readonly kind: CarrierKind;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string;
  /** The certificate to trust, for a server with TLS. */
  readonly ca?: string;
  /** Several runs may share one connection; without it every run has its own. */
  readonly session?: Http2SessionManager;
}

export interface Carrier {
  /** Throws a ConnectError when the server ends with one or the connection breaks. */
  readonly frames: AsyncIterable<AgentServerMessage>;
  send(message: AgentClientMessage): void;
  /** No more messages of the client. */
  halfClose(): void;
  /** Drops the connection as a broken network does. */
  cut(): void;
}

export function openCarrier(options: CarrierOptions): Carrier {
  return options.kind === 'http1' ? carryOverHttp1(options) : carryOverHttp2(options);
}

function carryOverHttp2(options: CarrierOptions): Carrier {
  const session = options.session ?? new Http2SessionManager(options.url, {}, nodeOptions(options));
  const transport = createConnectTransport({
    baseUrl: options.url,
    httpVersion: '2',
    sessionManager: session,
    interceptors: [addHeaders(options.headers)],
  });
  const queue = new PushQueue<AgentClientMessage>();
  const stop = new AbortController();
  const cut = () => {
    queue.close();
    stop.abort();
    // A session of its own goes down with its socket, so that the server sees a lost connection and not a reset.
    if (options.session === undefined) session.abort();
  };
  const frames = createClient(AgentService, transport).run(queue, { signal: stop.signal });
  const release = () => {
    queue.close();
    if (options.session === undefined) session.abort();
  };
  return {
    frames: ending(frames, release),
    send: (message) => queue.push(message),
    halfClose: () => queue.close(),
    cut,
  };
}

function carryOverHttp1(options: CarrierOptions): Carrier {
  // Connections of its own, as a client in a process of its own has them; a cut takes them all down.
  const agent = new (options.url.startsWith('https:') ? https : http).Agent({ keepAlive: true });
  const transport = createConnectTransport({
    baseUrl: options.url,
    httpVersion: '1.1',
    nodeOptions: { ...nodeOptions(options), agent },
    interceptors: [addHeaders(options.headers)],
  });
  const requestId = { requestId: options.requestId };
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // one for each append under way
  const appends = createClient(BidiService, transport);
  let seqno = 0n;
  let failure: unknown;
  const stream = createClient(AgentService, transport).runSSE(requestId, { signal: stop.signal });
  return {
    frames: ending(stream, () => {
      agent.destroy();
      if (failure !== undefined) throw failure;
    }),
    // Not awaited: appends of the official client overtake each other too.
    send: (message) => {
      const data = Buffer.from(toBinary(AgentClientMessageSchema, message)).toString('hex');
      appends
        .bidiAppend({ data, requestId, appendSeqno: seqno++ }, { signal: stop.signal })
        .catch((error: unknown) => {
          if (stop.signal.aborted) return;
          failure = error; // a failed append kills the run of an official client
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

const nodeOptions = ({ ca }: CarrierOptions) => (ca === undefined ? {} : { ca });

function addHeaders(headers: Readonly<Record<string, string>>): Interceptor {
  return (next) => (request) => {
    for (const [name, value] of Object.entries(headers)) request.header.set(name, value);
    return next(request);
  };
}

/** The headers that the official SDK sends with every call of a run. */
export function runHeaders(
  token: string,
  originalRequestId: string,
  requestId: string,
): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    'x-request-id': requestId,
    'x-original-request-id': originalRequestId,
    'x-cursor-client-type': 'sdk',
    'x-cursor-client-version': 'sdk-1.0.32',
    'x-ghost-mode': 'true',
    traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`,
  };
}

export const newRequestId = (): string => randomUUID();

type Frame = NonNullable<Parameters<typeof create<typeof AgentClientMessageSchema>>[1]>['message'];

export function clientMessage(message: NonNullable<Frame>): AgentClientMessage {
  return create(AgentClientMessageSchema, { message });
}
