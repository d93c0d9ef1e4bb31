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
import { unwrapUnaryBody } from '../../wire/connect-envelope.ts';
import type { Exchange } from '../exchange.ts';
import { type CallForm, framingOf } from './call-form.ts';
import { refuseManyFields } from './field-count.ts';
import { inflaterFor } from './inflate.ts';
import { createFrameReader, isCompressed } from './request-frames.ts';

/** The one message of a unary request, as bytes or (JSON) as text. Further frames are neither read nor opened. */
export async function payloadOf(
  form: CallForm,
  body: Uint8Array,
  exchange: Exchange,
  maxBytes: number,
): Promise<Uint8Array> {
  if (form === 'json') return body;
  if (form === 'proto') {
    const message = unwrapUnaryBody(body);
    if (!isCompressed(message)) return message.payload;
    return await inflaterFor(exchange.headers['connect-content-encoding'])(message.payload, maxBytes);
  }
  const { reader, open } = createFrameReader(exchange, framingOf(form), maxBytes);
  const [first] = reader.push(body).filter(({ isEnd }) => !isEnd);
  if (reader.hasPartialFrame) {
    throw invalidRequest('The request ends within a frame; its message is not whole.');
  }
  if (first === undefined) return new Uint8Array();
  return isCompressed(first) ? await open(first.payload) : first.payload;
}

export function decodeMessage<Schema extends DescMessage>(
  schema: Schema,
  form: CallForm,
  payload: Uint8Array,
): MessageShape<Schema> {
  if (form !== 'json') refuseManyFields(schema, payload);
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
