// The HTTP/1.1 pair: agent.v1.AgentService/RunSSE carries the server's frames, each client message is one unary call of
// aiserver.v1.BidiService/BidiAppend. Known from public clients: hex data, numbers from 0, 16 calls at once, and that
// the two may overtake each other.
import { create, toBinary } from '@bufbuild/protobuf';
import { BidiAppendRequestSchema, BidiRequestIdSchema } from '../../../gen/aiserver/v1/bidi_pb.ts';
import { encodeEnvelope } from '../../../wire/connect-envelope.ts';
import type { UpstreamHttp } from '../../upstream-http.ts';
import type { Timers } from '../../upstream-timers.ts';
import { AppendQueue } from './append-queue.ts';
import type { RunChannel } from './run-channel.ts';
import type { UnaryCall } from './unary-call.ts';

const RUN_SSE_PATH = '/agent.v1.AgentService/RunSSE';
const APPEND_PATH = '/aiserver.v1.BidiService/BidiAppend';
const GOODBYE_MS = 1_000;

export interface Http1Run {
  readonly requestId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly streams: UpstreamHttp;
  readonly callUnary: UnaryCall;
  readonly upstream: string;
  readonly timers: Timers;
}

export function runOverHttp1(run: Http1Run): RunChannel {
  const controller = new AbortController();
  const { signal } = controller;
  // Without this header the backend may keep its answer in blobs instead of streaming it.
  const headers = { ...run.headers, 'x-cursor-streaming': 'true' };
  const requestId = create(BidiRequestIdSchema, { requestId: run.requestId });
  const answer = run.streams.post(RUN_SSE_PATH, encodeEnvelope(toBinary(BidiRequestIdSchema, requestId)), {
    signal,
    headers: {
      ...headers,
      'content-type': 'application/connect+proto',
      'connect-protocol-version': '1',
      'connect-accept-encoding': 'gzip',
    },
  });
  answer.catch(() => {}); // the reader of the run sees it
  const appends = new AppendQueue(async (appendSeqno, message) => {
    const data = Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString('hex');
    const append = create(BidiAppendRequestSchema, { data, requestId, appendSeqno });
    await run.callUnary(APPEND_PATH, toBinary(BidiAppendRequestSchema, append), { signal, headers });
  });
  return {
    upstream: run.upstream,
    head: answer,
    body: {
      async *[Symbol.asyncIterator]() {
        yield* (await answer).body;
      },
    },
    write: (message) => appends.append(message),
    finish() {
      run.timers.after(GOODBYE_MS, () => controller.abort());
    },
    abort: () => controller.abort(),
  };
}
