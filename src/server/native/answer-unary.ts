// Unary calls: one message in, one out, an error as an HTTP status with a JSON body (connectrpc.com/docs/protocol).
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { GatewayError } from '../../core/index.ts';
import type { NativeContext, NativeFront } from '../../dialects/native-front.ts';
import { encodeError } from '../../wire/connect-end-stream.ts';
import { encodeEnvelope } from '../../wire/connect-envelope.ts';
import type { Admission } from '../auth.ts';
import type { ByteBudget, ByteShare } from '../byte-budget.ts';
import type { Exchange, ResponseHeaders } from '../exchange.ts';
import { publicError } from '../turn-handler.ts';
import { ACCEPTED_TYPES, type CallForm, callFormOf, framingOf } from './call-form.ts';
import { httpStatusOfConnect } from './connect-status.ts';
import { createNativeContext } from './native-context.ts';
import type { NativeRoutesOptions } from './native-options.ts';
import { payloadOf } from './unary-messages.ts';

/** Smaller answers gain nothing from compression. */
const GZIP_ABOVE_BYTES = 8 * 1024;
const compress = promisify(gzip);

export interface UnaryCall {
  readonly exchange: Exchange;
  readonly front: NativeFront;
  readonly options: NativeRoutesOptions;
  /** Where being known is not enough, or not asked for. */
  readonly admit?: ((exchange: Exchange) => Promise<Admission>) | undefined;
  /** What all calls together may hold. */
  readonly bodies: ByteBudget;
  readonly maxBytes: number;
  /** The bound of the body, where it is larger than its message: hex doubles it. */
  readonly maxBodyBytes?: number;
  /** Gets the request's message in the given form, gives the answer's in the same form. */
  readonly handle: (payload: Uint8Array, form: CallForm, context: NativeContext) => Promise<Uint8Array>;
}

export async function answerUnary(call: UnaryCall): Promise<void> {
  const { exchange, front, options, maxBytes, maxBodyBytes = maxBytes } = call;
  const form = callFormOf(exchange.headers['content-type']);
  if (form === undefined) {
    refuseContentType(exchange, options);
    return;
  }
  let admission: Admission | undefined;
  let share: ByteShare | undefined;
  try {
    admission = await call.admit?.(exchange);
    const identity = admission?.identity ?? (await options.authenticate(exchange));
    const context = createNativeContext(options, { exchange, identity, dialect: front.dialect });
    share = call.bodies.open(context.owner);
    const body = await exchange.readBody(maxBodyBytes, share.take);
    const payload = await payloadOf(form, body, exchange, maxBodyBytes);
    const answer = await call.handle(payload, form, context);
    await sendAnswer(exchange, form, answer);
  } catch (thrown) {
    sendFailure(exchange, form, publicError(thrown, options), front);
  } finally {
    share?.release();
    admission?.release();
  }
}

export function refuseContentType(exchange: Exchange, { redact }: Pick<NativeRoutesOptions, 'redact'>): void {
  const type = JSON.stringify(redact(exchange.headers['content-type'] ?? '').slice(0, 100));
  const message = `The content type ${type} is not one of this call; use one of ${ACCEPTED_TYPES}.`;
  exchange.sendJson(415, { code: 'unknown', message }, { 'accept-post': ACCEPTED_TYPES });
}

async function sendAnswer(exchange: Exchange, form: CallForm, message: Uint8Array): Promise<void> {
  if (form === 'connect' || form === 'grpc-web') {
    const framing = framingOf(form);
    const body = Buffer.concat([encodeEnvelope(message), framing.encodeEnd()]);
    exchange.sendBytes(200, body, { 'content-type': framing.contentType });
    return;
  }
  const headers: ResponseHeaders = {
    'content-type': form === 'json' ? 'application/json' : 'application/proto',
  };
  if (message.length < GZIP_ABOVE_BYTES || !acceptsGzip(exchange.headers['accept-encoding'])) {
    exchange.sendBytes(200, message, headers);
    return;
  }
  const packed = await compress(message);
  exchange.sendBytes(200, packed, { ...headers, 'content-encoding': 'gzip' });
}

function sendFailure(exchange: Exchange, form: CallForm, error: GatewayError, front: NativeFront): void {
  const failure = front.encodeError(error);
  if (form === 'connect' || form === 'grpc-web') {
    const framing = framingOf(form);
    exchange.sendBytes(200, framing.encodeEnd(failure), { 'content-type': framing.contentType });
    return;
  }
  const { retryAfterMs } = error;
  const headers: ResponseHeaders =
    retryAfterMs === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  exchange.sendJson(httpStatusOfConnect(failure.code), encodeError(failure), headers);
}

function acceptsGzip(accepted: string | undefined): boolean {
  return /(^|[\s,])gzip(?!\s*;\s*q=0(\.0+)?\s*(,|$))/i.test(accepted ?? '');
}
