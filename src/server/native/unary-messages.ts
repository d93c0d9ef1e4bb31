// The bodies of unary calls: bare protobuf, protobuf in an envelope, Connect JSON, or frames of a stream protocol.
// Known from the Connect protocol specification; that some clients put an envelope round a bare body was seen.
import {
  create,
  type DescMessage,
  fromBinary,
  fromJsonString,
  type MessageInitShape,
  type MessageShape,
  toBinary,
  toJsonString,
} from '@bufbuild/protobuf';
import { invalidRequest } from '../../core/index.ts';
import { COMPRESSED, unwrapUnaryBody } from '../../wire/connect-envelope.ts';
import type { Exchange } from '../exchange.ts';
import { type CallForm, framingOf } from './call-form.ts';
import { inflaterFor } from './inflate.ts';
import { createFrameReader } from './request-frames.ts';

/** The one message of a unary request, as bytes or (JSON) as text. */
export function payloadOf(
  form: CallForm,
  body: Uint8Array,
  exchange: Exchange,
  maxBytes: number,
): Uint8Array {
  if (form === 'json') return body;
  if (form === 'proto') {
    const { payload, flags } = unwrapUnaryBody(body);
    if ((flags & COMPRESSED) === 0 || payload.length === 0) return payload;
    try {
      return inflaterFor(exchange.headers['connect-content-encoding'])(payload, maxBytes);
    } catch {
      throw invalidRequest(
        `The compressed message of ${payload.length} bytes cannot be inflated to at most ${maxBytes} bytes.`,
      );
    }
  }
  const reader = createFrameReader(exchange, framingOf(form), maxBytes);
  const frames = reader.push(body).filter(({ isEnd }) => !isEnd);
  if (reader.hasPartialFrame) {
    throw invalidRequest('The request ends within a frame; its message is not whole.');
  }
  return frames[0]?.payload ?? new Uint8Array();
}

export function decodeMessage<Schema extends DescMessage>(
  schema: Schema,
  form: CallForm,
  payload: Uint8Array,
): MessageShape<Schema> {
  try {
    if (form !== 'json') return fromBinary(schema, payload);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(payload);
    return fromJsonString(schema, text.trim() === '' ? '{}' : text, { ignoreUnknownFields: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw invalidRequest(`The request is no ${schema.typeName}: ${reason}.`);
  }
}

export function encodeMessage<Schema extends DescMessage>(
  schema: Schema,
  form: CallForm,
  message: MessageInitShape<Schema>,
): Uint8Array {
  const whole = create(schema, message);
  return form === 'json' ? Buffer.from(toJsonString(schema, whole)) : toBinary(schema, whole);
}
