// The forms in which one call may travel, told by its content type: bare protobuf, Connect JSON, Connect frames and
// gRPC-Web frames (connectrpc.com/docs/protocol; PROTOCOL-WEB.md of gRPC). Classic gRPC is spoken by no agent client.
import type { ConnectError } from '../../wire/connect-end-stream.ts';
import { encodeEndStream } from '../../wire/connect-end-stream.ts';
import { encodeGrpcWebTrailer } from './grpc-web-trailer.ts';

export type CallForm = 'proto' | 'json' | 'connect' | 'grpc-web';

export const ACCEPTED_TYPES =
  'application/proto, application/json, application/connect+proto, application/grpc-web+proto';

const FORMS: Readonly<Record<string, CallForm>> = {
  '': 'proto', // some clients leave the header out with an empty body
  'application/proto': 'proto',
  'application/protobuf': 'proto',
  'application/x-protobuf': 'proto',
  'application/octet-stream': 'proto',
  'application/json': 'json',
  'application/connect+proto': 'connect',
  'application/grpc-web': 'grpc-web',
  'application/grpc-web+proto': 'grpc-web',
};

/** Undefined for a content type that no call can have here. */
export function callFormOf(contentType: string | undefined): CallForm | undefined {
  const [name = ''] = (contentType ?? '').toLowerCase().split(';', 1);
  const key = name.trim();
  return Object.hasOwn(FORMS, key) ? FORMS[key] : undefined;
}

/** How a framed answer ends and what it is called. */
export interface Framing {
  readonly contentType: string;
  /** The request header that names the codec of compressed frames. */
  readonly encodingHeader: string;
  encodeEnd(error?: ConnectError, metadata?: Readonly<Record<string, readonly string[]>>): Uint8Array;
}

const CONNECT: Framing = {
  contentType: 'application/connect+proto',
  encodingHeader: 'connect-content-encoding',
  encodeEnd: (error, metadata) => encodeEndStream(error, metadata),
};

const GRPC_WEB: Framing = {
  contentType: 'application/grpc-web+proto',
  encodingHeader: 'grpc-encoding',
  encodeEnd: (error) => encodeGrpcWebTrailer(error),
};

export function framingOf(form: 'connect' | 'grpc-web'): Framing {
  return form === 'connect' ? CONNECT : GRPC_WEB;
}

/**
 * Two public servers name a stream beside appends `text/event-stream`, with the same binary frames inside; a client
 * that accepts nothing else gets that name.
 */
export function streamContentType(framing: Framing, accept: string | undefined): string {
  if (framing !== CONNECT || accept === undefined) return framing.contentType;
  const accepted = accept
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';', 1)[0]?.trim() ?? '');
  const takesEventsOnly =
    accepted.includes('text/event-stream') &&
    !accepted.some((type) => type === '*/*' || type.startsWith('application/'));
  return takesEventsOnly ? 'text/event-stream' : framing.contentType;
}
