// A scenario as it is kept in test/transcripts/cursor-agent: each direction's bytes, and all frames readable in order.
import { fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { AgentClientMessageSchema, AgentServerMessageSchema } from '../../../src/gen/agent/v1/run_pb.ts';
import { END_STREAM, encodeEnvelope } from '../../../src/wire/connect-envelope.ts';
import type { GoldenFrame } from './frame-builders.ts';

/** One entry of frames.json. */
export type ReadableFrame =
  | { readonly from: 'client' | 'server'; readonly message: JsonValue }
  | { readonly from: 'server'; readonly end: JsonValue };

const SCHEMAS = { client: AgentClientMessageSchema, server: AgentServerMessageSchema };

export function envelopesOf(frames: readonly GoldenFrame[], side: 'client' | 'server'): Uint8Array {
  return Buffer.concat(
    frames
      .filter((frame) => frame.from === side)
      .map((frame) =>
        'end' in frame ? encodeEnvelope(Buffer.from(frame.end), END_STREAM) : encodeEnvelope(frame.message),
      ),
  );
}

export function readableFrame(frame: GoldenFrame): ReadableFrame {
  if ('end' in frame) return { from: frame.from, end: JSON.parse(frame.end) as JsonValue }; // parsed JSON
  const schema = SCHEMAS[frame.from];
  return { from: frame.from, message: toJson(schema, fromBinary(schema, frame.message)) };
}

export function reencode(side: 'client' | 'server', bytes: Uint8Array): Uint8Array {
  const schema = SCHEMAS[side];
  return toBinary(schema, fromBinary(schema, bytes));
}

export function encodeReadable(side: 'client' | 'server', message: JsonValue): Uint8Array {
  const schema = SCHEMAS[side];
  return toBinary(schema, fromJson(schema, message));
}
