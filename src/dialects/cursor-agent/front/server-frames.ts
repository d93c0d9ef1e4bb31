// The frames a server of agent.v1 writes during a run, each as one bare message. Field numbers: proto/agent/v1/run.proto.
// Text and thoughts are most of what is sent; they are written by hand, which costs a fraction of the general encoder.
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { ConversationStateStructure } from '../../../gen/agent/v1/conversation_state_pb.ts';
import type { ExecServerMessageSchema } from '../../../gen/agent/v1/exec_pb.ts';
import type { InteractionQuerySchema } from '../../../gen/agent/v1/interaction_query_pb.ts';
import type {
  ContextInjectionStateSchema,
  InteractionUpdateSchema,
} from '../../../gen/agent/v1/interaction_update_pb.ts';
import type { KvServerMessageSchema } from '../../../gen/agent/v1/kv_pb.ts';
import { AgentServerMessageSchema } from '../../../gen/agent/v1/run_pb.ts';

export type UpdateInit = NonNullable<MessageInitShape<typeof InteractionUpdateSchema>['message']>;
/** What became of words that a client sent during a run. */
export type InjectionState = NonNullable<MessageInitShape<typeof ContextInjectionStateSchema>['state']>;
type ServerInit = NonNullable<MessageInitShape<typeof AgentServerMessageSchema>['message']>;

export function updateFrame(message: UpdateInit): Uint8Array {
  return frame({ case: 'interactionUpdate', value: { message } });
}

export function injectionUpdate(injectionId: string, state: InjectionState): UpdateInit {
  return { case: 'contextInjectionState', value: { injectionId, state: { state } } };
}

export function execFrame(value: MessageInitShape<typeof ExecServerMessageSchema>): Uint8Array {
  return frame({ case: 'execServerMessage', value });
}

export function abortFrame(id: number): Uint8Array {
  return frame({ case: 'execServerControlMessage', value: { message: { case: 'abort', value: { id } } } });
}

export function queryFrame(value: MessageInitShape<typeof InteractionQuerySchema>): Uint8Array {
  return frame({ case: 'interactionQuery', value });
}

export function kvFrame(value: MessageInitShape<typeof KvServerMessageSchema>): Uint8Array {
  return frame({ case: 'kvServerMessage', value });
}

export function checkpointFrame(value: ConversationStateStructure): Uint8Array {
  return frame({ case: 'conversationCheckpointUpdate', value });
}

/** Said in a silence; it means nothing. */
export const HEARTBEAT_FRAME: Uint8Array = updateFrame({ case: 'heartbeat', value: {} });

const TEXT_DELTA_TAG = 0x0a; // InteractionUpdate field 1
const THINKING_DELTA_TAG = 0x22; // InteractionUpdate field 4
const FIRST_FIELD_TAG = 0x0a; // a length-delimited field 1

export function textFrame(text: string): Uint8Array {
  return proseFrame(TEXT_DELTA_TAG, text);
}

export function thinkingFrame(text: string): Uint8Array {
  return proseFrame(THINKING_DELTA_TAG, text);
}

function frame(message: ServerInit): Uint8Array {
  return toBinary(AgentServerMessageSchema, create(AgentServerMessageSchema, { message }));
}

function proseFrame(tag: number, text: string): Uint8Array {
  const textBytes = Buffer.byteLength(text, 'utf8');
  const deltaBytes = textBytes === 0 ? 0 : 1 + varintSize(textBytes) + textBytes;
  const updateBytes = 1 + varintSize(deltaBytes) + deltaBytes;
  const bytes = Buffer.allocUnsafe(1 + varintSize(updateBytes) + updateBytes);
  let at = writeHead(bytes, 0, FIRST_FIELD_TAG, updateBytes);
  at = writeHead(bytes, at, tag, deltaBytes);
  if (textBytes > 0) {
    at = writeHead(bytes, at, FIRST_FIELD_TAG, textBytes);
    bytes.write(text, at, 'utf8');
  }
  return bytes;
}

function writeHead(bytes: Buffer, at: number, tag: number, length: number): number {
  bytes[at++] = tag;
  let rest = length;
  while (rest > 0x7f) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest >>>= 7) size++;
  return size;
}
