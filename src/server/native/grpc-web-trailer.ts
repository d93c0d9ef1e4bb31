// The last frame of a gRPC-Web answer: flag 0x80 and header lines instead of HTTP trailers (github.com/grpc/grpc,
// doc/PROTOCOL-WEB.md). One family of public agent clients speaks it. Details are a google.rpc.Status in base64.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ConnectError } from '../../wire/connect-end-stream.ts';
import { encodeEnvelope } from '../../wire/connect-envelope.ts';
import { grpcStatusOfConnect } from './connect-status.ts';

export const GRPC_TRAILER = 0x80;

export function encodeGrpcWebTrailer(error?: ConnectError): Uint8Array {
  const lines = [`grpc-status: ${error ? grpcStatusOfConnect(error.code) : 0}`];
  if (error) {
    lines.push(`grpc-message: ${percentEncode(error.message)}`);
    if (error.details.length > 0) {
      lines.push(`grpc-status-details-bin: ${Buffer.from(encodeStatus(error)).toString('base64')}`);
    }
  }
  return encodeEnvelope(new TextEncoder().encode(`${lines.join('\r\n')}\r\n`), GRPC_TRAILER);
}

/** google.rpc.Status: 1 code, 2 message, 3 details as google.protobuf.Any (1 type_url, 2 value). */
function encodeStatus(error: ConnectError): Uint8Array {
  const status = new BinaryWriter();
  status.tag(1, WireType.Varint).int32(grpcStatusOfConnect(error.code));
  status.tag(2, WireType.LengthDelimited).string(error.message);
  for (const { type, value } of error.details) {
    status.tag(3, WireType.LengthDelimited).fork();
    status.tag(1, WireType.LengthDelimited).string(`type.googleapis.com/${type}`);
    status.tag(2, WireType.LengthDelimited).bytes(value);
    status.join();
  }
  return status.finish();
}

/** Everything but printable ASCII, and the percent sign itself, byte by byte of its UTF-8. */
function percentEncode(text: string): string {
  let encoded = '';
  for (const byte of new TextEncoder().encode(text)) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}
