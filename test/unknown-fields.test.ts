// What a newer client or server adds must pass through unharmed: decode and encode keep the bytes of unknown fields.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { create, type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GetUsableModelsResponseSchema } from '../src/gen/agent/v1/agent_service_pb.ts';
import { ConversationActionSchema } from '../src/gen/agent/v1/conversation_action_pb.ts';
import { ConversationStateStructureSchema } from '../src/gen/agent/v1/conversation_state_pb.ts';
import { ExecClientMessageSchema, ExecServerMessageSchema } from '../src/gen/agent/v1/exec_pb.ts';
import {
  InteractionQuerySchema,
  InteractionResponseSchema,
} from '../src/gen/agent/v1/interaction_query_pb.ts';
import { InteractionUpdateSchema } from '../src/gen/agent/v1/interaction_update_pb.ts';
import { KvClientMessageSchema, KvServerMessageSchema } from '../src/gen/agent/v1/kv_pb.ts';
import {
  AgentClientMessageSchema,
  AgentRunRequestSchema,
  AgentServerMessageSchema,
} from '../src/gen/agent/v1/run_pb.ts';
import { ToolCallSchema } from '../src/gen/agent/v1/tool_call_pb.ts';
import { BidiAppendRequestSchema, BidiRequestIdSchema } from '../src/gen/aiserver/v1/bidi_pb.ts';
import {
  StreamUnifiedChatRequestSchema,
  StreamUnifiedChatRequestWithToolsSchema,
} from '../src/gen/aiserver/v1/chat_request_pb.ts';
import {
  StreamUnifiedChatResponseSchema,
  StreamUnifiedChatResponseWithToolsSchema,
} from '../src/gen/aiserver/v1/chat_response_pb.ts';
import {
  ClientSideToolV2CallSchema,
  ClientSideToolV2ResultSchema,
} from '../src/gen/aiserver/v1/client_side_tool_pb.ts';
import { ErrorDetailsSchema } from '../src/gen/aiserver/v1/error_details_pb.ts';
import { AvailableModelsResponseSchema } from '../src/gen/aiserver/v1/models_pb.ts';
import { GetServerConfigResponseSchema } from '../src/gen/aiserver/v1/server_config_pb.ts';
import { EnvelopeReader } from '../src/wire/connect-envelope.ts';
import { proto, type WireValue } from './support/cursor-agent/proto-bytes.ts';

const TOP_LEVEL: readonly DescMessage[] = [
  AgentClientMessageSchema,
  AgentServerMessageSchema,
  AgentRunRequestSchema,
  ConversationActionSchema,
  ConversationStateStructureSchema,
  ExecServerMessageSchema,
  ExecClientMessageSchema,
  KvServerMessageSchema,
  KvClientMessageSchema,
  InteractionUpdateSchema,
  InteractionQuerySchema,
  InteractionResponseSchema,
  ToolCallSchema,
  GetUsableModelsResponseSchema,
  BidiRequestIdSchema,
  BidiAppendRequestSchema,
  AvailableModelsResponseSchema,
  GetServerConfigResponseSchema,
  ErrorDetailsSchema,
  StreamUnifiedChatRequestSchema,
  StreamUnifiedChatRequestWithToolsSchema,
  StreamUnifiedChatResponseSchema,
  StreamUnifiedChatResponseWithToolsSchema,
  ClientSideToolV2CallSchema,
  ClientSideToolV2ResultSchema,
];

/** Fields far above all known numbers, of every wire type that is in use. */
const unknownFields = fc
  .array(
    fc.tuple(
      fc.integer({ min: 5000, max: 6000 }),
      fc.oneof(
        fc.nat(),
        fc.boolean(),
        fc.string(),
        fc.uint8Array(),
        fc.double({ noNaN: true }).map((double) => ({ double })),
      ),
    ),
    { maxLength: 6 },
  )
  .map((fields: [number, WireValue][]) => new Uint8Array(proto(...fields)));

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const roundTrip = (schema: DescMessage, bytes: Uint8Array) => toBinary(schema, fromBinary(schema, bytes));

describe('unknown fields', () => {
  it.each(TOP_LEVEL.map((schema) => [schema.typeName, schema] as const))('survive in %s', (_, schema) => {
    fc.assert(
      fc.property(unknownFields, (bytes) => {
        expect(hex(roundTrip(schema, bytes))).toBe(hex(bytes));
      }),
      { numRuns: 40 },
    );
  });

  it('survive behind known ones in every golden frame', () => {
    const wire = readFileSync(
      resolve(import.meta.dirname, 'transcripts/cursor-agent/mcp-tool-call/server.bin'),
    );
    const payloads = new EnvelopeReader()
      .push(wire)
      .filter(({ isEnd }) => !isEnd)
      .map(({ payload }) => payload);
    fc.assert(
      fc.property(fc.constantFrom(...payloads), unknownFields, (known, unknown) => {
        const bytes = Buffer.concat([known, unknown]);
        expect(hex(roundTrip(AgentServerMessageSchema, bytes))).toBe(hex(bytes));
      }),
    );
  });

  it('survive deep inside: an exec kind that does not exist yet', () => {
    const bytes = proto([2, proto([1, 7], [15, 'exec-7'], [999, proto([1, 'new'])])]);
    const message = fromBinary(AgentServerMessageSchema, bytes);
    expect(message.message.case).toBe('execServerMessage');
    expect(message.message.value).toMatchObject({ id: 7, execId: 'exec-7', message: { case: undefined } });
    expect(hex(toBinary(AgentServerMessageSchema, message))).toBe(hex(bytes));
  });

  it('survive in a message that no source describes', () => {
    const bytes = proto([24, proto([1, 'src'], [3, 'origin'])]);
    const message = fromBinary(StreamUnifiedChatRequestSchema, bytes);
    expect(message.repositoryInfo).toBeDefined();
    expect(hex(toBinary(StreamUnifiedChatRequestSchema, message))).toBe(hex(bytes));
  });

  it('survive as a new value of a known enum', () => {
    const bytes = proto([10, 77]);
    const message = fromBinary(ConversationStateStructureSchema, bytes);
    expect(message.mode).toBe(77);
    expect(hex(toBinary(ConversationStateStructureSchema, message))).toBe(hex(bytes));
  });

  it('move with a message that is put into another', () => {
    const state = fromBinary(ConversationStateStructureSchema, proto([10, 1], [5000, 'kept']));
    const request = create(AgentRunRequestSchema, { conversationState: state });
    expect(hex(toBinary(AgentRunRequestSchema, request))).toBe(
      hex(proto([1, proto([10, 1], [5000, 'kept'])])),
    );
  });
});
