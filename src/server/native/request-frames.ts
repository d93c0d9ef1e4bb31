import { Http2ServerRequest } from 'node:http2';
import { GatewayError, invalidRequest } from '../../core/index.ts';
import { EnvelopeReader } from '../../wire/connect-envelope.ts';
import type { AnyRequest, Exchange } from '../exchange.ts';
import type { Framing } from './call-form.ts';
import { GRPC_TRAILER } from './grpc-web-trailer.ts';
import { inflaterFor } from './inflate.ts';
import { MessageQueue } from './message-queue.ts';

/** What may wait to be read before the socket is told to pause. */
const MAX_QUEUE_BYTES = 1024 * 1024;
const MAX_QUEUE_MESSAGES = 64;

/** The frames of a request while it arrives. Ends with the client's half of the stream. */
export function readRequestFrames(exchange: Exchange, framing: Framing, maxBytes: number): MessageQueue {
  const { request } = exchange;
  const reader = createFrameReader(exchange, framing, maxBytes);
  const isFull = () => queue.bytes > MAX_QUEUE_BYTES || queue.length > MAX_QUEUE_MESSAGES;
  const queue = new MessageQueue(() => {
    if (request.isPaused() && !isFull()) request.resume();
  });
  let isDone = false;

  /** Whatever follows is thrown away, so that the connection stays usable for our answer. */
  const finish = (error?: GatewayError) => {
    if (isDone) return;
    isDone = true;
    if (error) queue.fail(error);
    else queue.end();
    request.resume();
  };

  request.on('data', (chunk: Uint8Array) => {
    if (isDone) return;
    try {
      for (const { payload, flags, isEnd } of reader.push(chunk)) {
        if (isEnd || (flags & GRPC_TRAILER) !== 0) finish();
        else queue.push(payload);
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
  return queue;
}

export function createFrameReader(exchange: Exchange, framing: Framing, maxBytes: number): EnvelopeReader {
  const inflate = inflaterFor(exchange.headers[framing.encodingHeader]);
  return new EnvelopeReader({ maxBytes, inflate, faultCode: 'invalid-request' });
}

/** Node ends the body of a reset HTTP/2 request as if it were whole. */
function isReset(request: AnyRequest): boolean {
  return request instanceof Http2ServerRequest && (request.stream?.closed ?? true);
}
