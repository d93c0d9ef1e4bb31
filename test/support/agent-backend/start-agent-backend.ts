// A scripted server of the agent protocol on real sockets: Run over HTTP/2, RunSSE + BidiAppend over HTTP/1.1, and the
// calls around them, on one port. It does what its script says, and misbehaves in the ways its options name.
import http from 'node:http';
import http2, { type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import https from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { fromBinary } from '@bufbuild/protobuf';
import { AgentClientMessageSchema } from '../../../src/gen/agent/v1/run_pb.ts';
import { BidiAppendRequestSchema, BidiRequestIdSchema } from '../../../src/gen/aiserver/v1/bidi_pb.ts';
import { sniffProtocol } from '../../../src/server/sniff-protocol.ts';
import { EnvelopeReader, unwrapUnaryBody } from '../../../src/wire/connect-envelope.ts';
import { AppendInbox } from './append-inbox.ts';
import { BackendRun } from './backend-run.ts';
import { RunClosed } from './client-inbox.ts';
import { type AnyResponse, type CutKind, RunCarrier } from './run-carrier.ts';
import type { AgentScript } from './scripts.ts';
import type { SeenCall } from './seen-call.ts';
import { type Reply, UnaryAnswers, type UnaryOptions } from './unary-answers.ts';

export interface AgentBackendOptions extends UnaryOptions {
  /** Played for every run, once its first message is there. */
  readonly script: AgentScript;
  readonly protocols?: 'both' | 'http1' | 'http2';
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  readonly isGzip?: boolean;
  readonly isDuplicating?: boolean;
  /** Every run, or the runs for which the function tells a number, is cut after so many frames; 0 cuts at once. */
  readonly cutAfterFrame?: number | ((runIndex: number) => number | undefined);
  readonly cutKind?: CutKind;
  readonly heartbeatEveryMs?: number;
  /** The content type of RunSSE; real servers use one of two. */
  readonly sseContentType?: string;
  /** Awaited before an append is taken: makes them overtake each other. */
  readonly holdAppend?: (seqno: number) => Promise<void> | undefined;
  /** Answers a call in place of the backend, if it returns something. */
  readonly intercept?: (call: SeenCall) => Reply | undefined;
  readonly port?: number;
}

export interface AgentBackend {
  readonly url: string;
  readonly port: number;
  readonly runs: readonly BackendRun[];
  readonly calls: readonly SeenCall[];
  /** What scripts threw, unless it was that the client had gone. */
  readonly errors: readonly unknown[];
  /** Sequence numbers of the appends of a run, as they arrived. */
  arrivals(requestId: string): readonly number[];
  /** The n-th run, from 0, once it has begun. */
  run(index: number): Promise<BackendRun>;
  stop(): Promise<void>;
}

type AnyRequest = http.IncomingMessage | Http2ServerRequest;

export async function startAgentBackend(options: AgentBackendOptions): Promise<AgentBackend> {
  const runs: BackendRun[] = [];
  const calls: SeenCall[] = [];
  const errors: unknown[] = [];
  const waiting = new Map<number, (run: BackendRun) => void>();
  const inboxes = new Map<string, AppendInbox>();
  const unary = new UnaryAnswers(options);

  function inboxOf(requestId: string): AppendInbox {
    const inbox = inboxes.get(requestId) ?? new AppendInbox();
    inboxes.set(requestId, inbox);
    return inbox;
  }

  function beginRun(transport: 'Run' | 'RunSSE', request: AnyRequest, response: AnyResponse): BackendRun {
    const index = runs.length;
    const { cutAfterFrame, isGzip = false } = options;
    const contentType = 'application/connect+proto';
    const type = transport === 'RunSSE' ? (options.sseContentType ?? 'text/event-stream') : contentType;
    const run = new BackendRun({
      index,
      transport,
      headers: request.headers,
      carrier: new RunCarrier(response, type, isGzip),
      isGzip,
      isDuplicating: options.isDuplicating ?? false,
      cutAfterFrame: typeof cutAfterFrame === 'function' ? cutAfterFrame(index) : cutAfterFrame,
      cutKind: options.cutKind ?? 'stream',
    });
    runs.push(run);
    waiting.get(index)?.(run);
    void play(run);
    return run;
  }

  async function play(run: BackendRun): Promise<void> {
    const timer =
      options.heartbeatEveryMs === undefined
        ? undefined
        : setInterval(() => void run.heartbeat().catch(() => {}), options.heartbeatEveryMs);
    void run.closed.then(() => clearInterval(timer));
    try {
      if (run.options.cutAfterFrame === 0) {
        run.cut(run.options.cutKind);
        return;
      }
      await run.inbox.whenBegun();
      await options.script(run);
    } catch (thrown) {
      if (thrown instanceof RunClosed) return;
      errors.push(thrown);
      run.cut('connection');
    }
  }

  async function handle(request: AnyRequest, response: AnyResponse): Promise<void> {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    const seen = (body: Uint8Array): SeenCall => {
      const call = { path, httpVersion: request.httpVersion, headers: request.headers, body };
      calls.push(call);
      return call;
    };
    if (path === '/agent.v1.AgentService/Run') {
      const refusal = options.intercept?.(seen(new Uint8Array()));
      if (refusal) return sendReply(response, refusal);
      return await readRun(request, beginRun('Run', request, response));
    }
    const call = seen(await readAll(request));
    const reply = options.intercept?.(call);
    if (reply) return sendReply(response, reply);
    if (path === '/agent.v1.AgentService/RunSSE') {
      const { requestId } = fromBinary(BidiRequestIdSchema, unwrapUnaryBody(call.body).payload);
      const run = beginRun('RunSSE', request, response);
      inboxOf(requestId).listen((message) => run.inbox.put(message));
      return;
    }
    if (path === '/aiserver.v1.BidiService/BidiAppend') {
      const append = fromBinary(BidiAppendRequestSchema, unwrapUnaryBody(call.body).payload);
      await options.holdAppend?.(Number(append.appendSeqno));
      inboxOf(append.requestId?.requestId ?? '').accept(append);
      return sendReply(response, { status: 200, headers: { 'content-type': 'application/proto' }, body: '' });
    }
    sendReply(response, unary.answer(call));
  }

  const sockets = new Set<Socket>();
  const listener = (request: AnyRequest, response: AnyResponse) => {
    request.on('error', () => {}); // a client that leaves is part of the play
    handle(request, response).catch((thrown) => {
      if (!request.destroyed) errors.push(thrown);
    });
  };
  const server = createServer(options, listener, sockets);
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server always has one
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    runs,
    calls,
    errors,
    arrivals: (requestId) => inboxes.get(requestId)?.arrivals ?? [],
    run: (index) =>
      new Promise((resolve) => {
        const run = runs[index];
        if (run) resolve(run);
        else waiting.set(index, resolve);
      }),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createServer(
  options: AgentBackendOptions,
  listener: (request: AnyRequest, response: AnyResponse) => void,
  sockets: Set<Socket>,
): Server {
  const track = (socket: Socket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => {}); // as above
  };
  const watch = (server: Server) =>
    server
      .on('sessionError', () => {})
      .on('session', (session: http2.Http2Session) => session.on('error', () => {}));
  const { protocols = 'both' } = options;
  if (options.tls) {
    const secure =
      protocols === 'http1'
        ? https.createServer(options.tls, listener)
        : http2.createSecureServer({ ...options.tls, allowHTTP1: protocols === 'both' }, listener);
    return watch(secure.on('secureConnection', track).on('connection', track));
  }
  const http1 = http.createServer(listener);
  const second = http2.createServer((request: Http2ServerRequest, response: Http2ServerResponse) =>
    listener(request, response),
  );
  watch(second);
  if (protocols === 'http1') return http1.on('connection', track);
  if (protocols === 'http2') return second.on('connection', track);
  const [toHttp1] = http1.listeners('connection');
  return http1.removeAllListeners('connection').on('connection', (socket: Socket) => {
    track(socket);
    sniffProtocol(socket, {
      timeoutMs: 60_000,
      onHttp1: () => toHttp1?.call(http1, socket),
      onHttp2: () => second.emit('connection', socket),
    });
  });
}

async function readRun(request: AnyRequest, run: BackendRun): Promise<void> {
  const reader = new EnvelopeReader();
  for await (const chunk of request) {
    for (const { payload } of reader.push(chunk as Uint8Array)) {
      run.inbox.put(fromBinary(AgentClientMessageSchema, payload));
    }
  }
}

async function readAll(request: AnyRequest): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

function sendReply(response: AnyResponse, { status, headers = {}, body }: Reply): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // The two response types overload end differently; both take text and bytes.
  (response as http.ServerResponse).end(body);
}
