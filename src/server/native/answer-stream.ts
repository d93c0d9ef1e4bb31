// Streaming answers over Connect and gRPC-Web: status 200 always, the outcome in the last frame.
import { constants, Http2ServerResponse } from 'node:http2';
import { GatewayError } from '../../core/index.ts';
import type {
  MessageChannel,
  NativeContext,
  NativeFront,
  StreamMethod,
} from '../../dialects/native-front.ts';
import type { Timers } from '../../dialects/upstream-timers.ts';
import { encodeEnvelope } from '../../wire/connect-envelope.ts';
import type { Exchange } from '../exchange.ts';
import { publicError } from '../turn-handler.ts';
import { type Framing, streamContentType } from './call-form.ts';
import { createNativeContext } from './native-context.ts';
import type { NativeRoutesOptions } from './native-options.ts';

/** How long a client may keep its half of a stream open after ours has ended. */
const HALF_OPEN_MS = 5_000;

/** The client's half of a stream. */
export interface ClientHalf {
  readonly incoming: AsyncIterable<Uint8Array>;
  readonly isRepeated: boolean;
  /** Called once, when the front is done. */
  close?(): void;
}

export interface StreamCall {
  readonly exchange: Exchange;
  readonly framing: Framing;
  readonly front: NativeFront;
  readonly method: StreamMethod;
  readonly options: NativeRoutesOptions;
  readonly timers: Timers;
  /** Runs after the caller was let in. `onReplaced`: another stream took this one's place. */
  readonly openClientHalf: (context: NativeContext, onReplaced: () => void) => Promise<ClientHalf>;
}

export async function answerStream(call: StreamCall): Promise<void> {
  const { exchange, framing, front, options } = call;
  // The head leaves at once: a client must not wait for its own first message to see that it is heard.
  const writer = exchange.openStream(200, {
    'content-type': streamContentType(framing, exchange.headers.accept),
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no', // nginx would hold the stream back
  });
  options.onStreamOpen?.();
  let error: GatewayError | undefined;
  try {
    await runStream(call, async (message) => await writer.write(encodeEnvelope(message)));
  } catch (thrown) {
    // Whoever left made the failure; nobody is there to be told.
    if (!exchange.signal.aborted) error = publicError(thrown, options);
  } finally {
    options.onStreamClose?.();
  }
  void writer.write(framing.encodeEnd(error && front.encodeError(error), retryMetadata(error)));
  writer.end();
  closeClientHalf(call);
}

/** The end frame is the only place where a stream can still say what a header would. */
function retryMetadata(error: GatewayError | undefined): Record<string, string[]> | undefined {
  const waitMs = error?.retryAfterMs;
  return waitMs === undefined ? undefined : { 'retry-after': [String(Math.ceil(waitMs / 1000))] };
}

async function runStream(call: StreamCall, send: MessageChannel['send']): Promise<void> {
  const { exchange, front, method, options } = call;
  const admission = await options.admit(exchange);
  /** Ends the front's work while the client is still there to hear why. */
  const stop = new AbortController();
  const signal = AbortSignal.any([exchange.signal, stop.signal]);
  let half: ClientHalf | undefined;
  const leave = options.drain?.join(method.form, (reason) => stop.abort(reason));
  try {
    const { identity } = admission;
    const context = createNativeContext(options, { exchange, identity, dialect: front.dialect, signal });
    half = await call.openClientHalf(context, () => stop.abort(replacedError()));
    const { incoming, isRepeated } = half;
    await method.open({ incoming, isRepeated, signal, send }, context);
    // A front may take the end of its work for a client that left, and be content: that is no success.
    stop.signal.throwIfAborted();
  } catch (thrown) {
    throw stop.signal.aborted ? stop.signal.reason : thrown;
  } finally {
    leave?.();
    half?.close?.();
    admission.release();
  }
}

function replacedError(): GatewayError {
  return new GatewayError('conflict', 'Another stream with the same request id took the place of this one.');
}

/** A client that never ends its half would keep the stream, and its memory, for as long as the connection lives. */
function closeClientHalf({ exchange, timers }: StreamCall): void {
  const { request, response } = exchange;
  request.resume();
  if (request.complete || request.readableEnded) return;
  const cancel = timers.after(HALF_OPEN_MS, () => {
    if (response instanceof Http2ServerResponse) response.stream?.close(constants.NGHTTP2_NO_ERROR);
    else request.destroy();
  });
  request.once('end', cancel).once('close', cancel);
}
