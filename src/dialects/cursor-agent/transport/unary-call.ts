// Unary Connect calls: bare protobuf in and out, errors as JSON beside an HTTP status (connectrpc.com/docs/protocol).
// Some servers wrap the answer in a stream envelope, with or without an end frame; both are understood.
import { GatewayError } from '../../../core/index.ts';
import { decodeEndStream } from '../../../wire/connect-end-stream.ts';
import { EnvelopeReader, MAX_ENVELOPE_BYTES } from '../../../wire/connect-envelope.ts';
import type { PostOptions, UpstreamHttp } from '../../upstream-http.ts';
import type { UpstreamHttp2 } from '../../upstream-http2.ts';
import type { Timers } from '../../upstream-timers.ts';
import type { AgentTransport } from '../agent-connection.ts';
import { decodeConnectError, decodeHttpError } from './errors.ts';
import { inflateFor } from './server-frames.ts';

export type UnaryCall = AgentTransport['callUnary'];

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}
type Post = (path: string, body: Uint8Array, options: Required<PostOptions>) => Promise<Answer>;

export function unaryOverHttp1(http: UpstreamHttp): Post {
  return async (path, body, options) => {
    const { status, headers, body: answer } = await http.post(path, body, options);
    return { status, headers, bytes: await readAll(answer, path) };
  };
}

export function unaryOverHttp2(http2: UpstreamHttp2, timeoutMs: number, timers: Timers): Post {
  return async (path, body, { signal, headers }) => {
    const stream = await http2.openStream(path, headers, signal);
    const reset = () => stream.reset();
    let isLate = false;
    const cancelTimer = timers.after(timeoutMs, () => {
      isLate = true;
      reset();
    });
    signal.addEventListener('abort', reset, { once: true });
    try {
      await stream.write(body);
      stream.end();
      return { ...(await stream.head), bytes: await readAll(stream.body, path) };
    } catch (thrown) {
      reset();
      if (signal.aborted) throw new GatewayError('cancelled', 'The call was cancelled.', { cause: thrown });
      if (isLate) throw new GatewayError('deadline-exceeded', `No answer to ${path} within ${timeoutMs} ms.`);
      throw thrown;
    } finally {
      cancelTimer();
      signal.removeEventListener('abort', reset);
    }
  };
}

export function createUnaryCall(post: Post, upstream: string): UnaryCall {
  return async (path, body, { signal, headers }) => {
    const answer = await post(path, body, {
      signal,
      headers: { ...headers, 'content-type': 'application/proto', 'connect-protocol-version': '1' },
    });
    if (answer.status === 200) return unwrap(answer, upstream);
    const text = answer.bytes.toString('utf8');
    throw decodeHttpError(answer.status, answer.headers, text, `${upstream}, ${path},`);
  };
}

async function readAll(body: AsyncIterable<Uint8Array>, path: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ENVELOPE_BYTES) {
      const limit = `more than ${MAX_ENVELOPE_BYTES} bytes`;
      throw new GatewayError('upstream-malformed', `The answer to ${path} has ${limit}.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** No bare message begins with a byte below 8: that would be field 0, which does not exist. */
function unwrap({ bytes, headers }: Answer, upstream: string): Uint8Array {
  const first = bytes[0];
  if (first === undefined || first >= 8) return bytes;
  const inflate = inflateFor(headers);
  const reader = new EnvelopeReader(inflate === undefined ? {} : { inflate });
  const frames = reader.push(bytes);
  const end = frames.find(({ isEnd }) => isEnd);
  const { error } = end ? decodeEndStream(end.payload) : {};
  if (error) throw decodeConnectError(error, { upstream });
  const message = frames.find(({ isEnd }) => !isEnd);
  if (message !== undefined && !reader.hasPartialFrame) return message.payload;
  throw new GatewayError('upstream-malformed', `${upstream} answered with a broken envelope.`);
}
