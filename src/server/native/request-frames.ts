import { Http2ServerRequest } from 'node:http2';
import { GatewayError, invalidRequest } from '../../core/index.ts';
import type { Timers } from '../../dialects/upstream-timers.ts';
import { COMPRESSED, type Envelope, EnvelopeReader } from '../../wire/connect-envelope.ts';
import type { AnyRequest, Exchange } from '../exchange.ts';
import type { Framing } from './call-form.ts';
import { GRPC_TRAILER } from './grpc-web-trailer.ts';
import { inflaterFor } from './inflate.ts';
import { MessageQueue } from './message-queue.ts';
import type { NativeLimits } from './native-options.ts';

/** What may wait to be read before the socket is told to pause. */
const MAX_QUEUE_BYTES = 1024 * 1024;
const MAX_QUEUE_MESSAGES = 64;

export interface FrameBounds {
  readonly limits: Pick<NativeLimits, 'maxMessageBytes' | 'meetMs' | 'frameMs'>;
  readonly timers: Timers;
}

/** The messages of a request while it arrives. Ends with the client's half of the stream. */
export function readRequestFrames(
  exchange: Exchange,
  framing: Framing,
  { limits, timers }: FrameBounds,
): AsyncIterable<Uint8Array> {
  const { request } = exchange;
  const { reader, open } = createFrameReader(exchange, framing, limits.maxMessageBytes);
  const isFull = () => queue.bytes > MAX_QUEUE_BYTES || queue.length > MAX_QUEUE_MESSAGES;
  const queue = new MessageQueue(() => {
    if (request.isPaused() && !isFull()) request.resume();
  });
  /** They wait as they came, each opened when it is its turn: one chunk of a socket may hold a thousand bombs. */
  const compressed = new WeakSet<Uint8Array>();
  let isDone = false;
  const giveUpAfter = (delayMs: number, what: string): (() => void) =>
    timers.after(delayMs, () => {
      // Whoever is made to wait by us is not late.
      if (request.isPaused() && queue.length > 0) stopWaiting = giveUpAfter(delayMs, what);
      else finish(new GatewayError('deadline-exceeded', `${what} within ${delayMs} ms.`));
    });
  // A client that comes back for an answer it has asked for before need not say anything.
  const mayBeSilent = exchange.headers['x-idempotency-key'] !== undefined;
  let stopWaiting = mayBeSilent ? () => {} : giveUpAfter(limits.meetMs, 'No message for this stream came');
  let isWithinFrame = false;
  /** A stream may be silent for as long as it likes, but not in the middle of a message: that is held in memory. */
  const watchFrame = (hasCompleted: boolean) => {
    if (hasCompleted || isDone) {
      stopWaiting();
      isWithinFrame = false;
    }
    if (isDone || isWithinFrame || !reader.hasPartialFrame) return;
    stopWaiting();
    isWithinFrame = true;
    stopWaiting = giveUpAfter(limits.frameMs, 'A message was begun and did not arrive whole');
  };

  /** Whatever follows is thrown away, so that the connection stays usable for our answer. */
  const finish = (error?: GatewayError) => {
    if (isDone) return;
    isDone = true;
    stopWaiting();
    if (error) queue.fail(error);
    else queue.end();
    request.resume();
  };

  request.on('data', (chunk: Uint8Array) => {
    if (isDone) return;
    try {
      const frames = reader.push(chunk);
      watchFrame(frames.length > 0);
      for (const frame of frames) {
        if (frame.isEnd || (frame.flags & GRPC_TRAILER) !== 0) {
          finish();
        } else {
          if (isCompressed(frame)) compressed.add(frame.payload);
          queue.push(frame.payload);
        }
      }
    } catch (thrown) {
      finish(GatewayError.from(thrown, 'invalid-request'));
    }
    if (!isDone && isFull()) request.pause();
  });
  request.on('end', () => {
    if (!isDone && reader.hasPartialFrame && !isReset(request)) {
      finish(invalidRequest('The request ends within a frame; its last message is not whole.'));
    } else {
      finish();
    }
  });
  request.on('close', () => finish());
  return {
    [Symbol.asyncIterator]() {
      const waiting = queue[Symbol.asyncIterator]();
      return {
        async next() {
          const taken = await waiting.next();
          if (taken.done === true || !compressed.has(taken.value)) return taken;
          return { done: false, value: await open(taken.value) };
        },
      };
    },
  };
}

export interface FrameReader {
  /** Gives compressed frames as they travelled. */
  readonly reader: EnvelopeReader;
  /** What is inside a compressed frame. */
  readonly open: (payload: Uint8Array) => Promise<Uint8Array>;
}

export function createFrameReader(exchange: Exchange, framing: Framing, maxBytes: number): FrameReader {
  const inflate = inflaterFor(exchange.headers[framing.encodingHeader]);
  return {
    reader: new EnvelopeReader({ maxBytes, inflate: (bytes) => bytes, faultCode: 'invalid-request' }),
    open: (payload) => inflate(payload, maxBytes),
  };
}

/** An empty message may carry the flag although there is nothing to inflate. */
export function isCompressed({ flags, payload }: Pick<Envelope, 'flags' | 'payload'>): boolean {
  return (flags & COMPRESSED) !== 0 && payload.length > 0;
}

/** Node ends the body of a reset HTTP/2 request as if it were whole. */
function isReset(request: AnyRequest): boolean {
  return request instanceof Http2ServerRequest && (request.stream?.closed ?? true);
}
