// aiserver.v1.BidiService/BidiAppend: one client message of a stream that was opened by its request id.
// Seen: the official SDK sends lower-case hex in `data`; `data_binary` exists and is used by none we know.
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { invalidRequest } from '../../core/index.ts';
import { defineUnary, type UnaryMethod } from '../../dialects/native-front.ts';
import {
  type BidiAppendRequest,
  BidiAppendRequestSchema,
  BidiAppendResponseSchema,
} from '../../gen/aiserver/v1/bidi_pb.ts';
import type { AppendHub } from './append-hub.ts';

export const BIDI_APPEND_PATH = '/aiserver.v1.BidiService/BidiAppend';
/** Ids are UUIDs; anything much longer is no id. */
const MAX_ID_LENGTH = 256;

export function createBidiAppend(hub: AppendHub): UnaryMethod {
  return defineUnary({
    path: BIDI_APPEND_PATH,
    input: BidiAppendRequestSchema,
    output: BidiAppendResponseSchema,
    async handle(request, { owner }) {
      const requestId = checkRequestId(request.requestId?.requestId);
      await hub.append(owner, requestId, numberOf(request), messageOf(request));
      return {};
    },
  });
}

export function checkRequestId(requestId: string | undefined): string {
  if (requestId !== undefined && requestId !== '' && requestId.length <= MAX_ID_LENGTH) return requestId;
  const found =
    requestId === undefined || requestId === '' ? 'missing' : `${requestId.length} characters long`;
  throw invalidRequest(`request_id is ${found}; a stream is named by a UUID.`, 'request_id');
}

function numberOf({ appendSeqno }: BidiAppendRequest): number {
  const number = Number(appendSeqno);
  if (number >= 0 && Number.isSafeInteger(number)) return number;
  throw invalidRequest(`append_seqno is ${appendSeqno}; numbers count up from 0 or 1.`, 'append_seqno');
}

function messageOf({ data, dataBinary }: BidiAppendRequest): Uint8Array {
  if (data === '') return checkFields(dataBinary, 'data_binary');
  const bytes = Buffer.from(data, 'hex');
  // Node stops at the first character that is not hex; what it read is then shorter than what was sent.
  if (bytes.length * 2 !== data.length) throw invalidRequest('data is not the hex of a message.', 'data');
  return checkFields(bytes, 'data');
}

/** Which message it is only the stream knows; that it is one at all shows in its outermost fields. */
function checkFields(bytes: Uint8Array, field: string): Uint8Array {
  try {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      reader.skip(wireType, number);
    }
    if (reader.pos !== reader.len) throw new RangeError('the last field is cut');
    return bytes;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw invalidRequest(
      `${field} holds ${bytes.length} bytes that are no protobuf message: ${reason}.`,
      field,
    );
  }
}
