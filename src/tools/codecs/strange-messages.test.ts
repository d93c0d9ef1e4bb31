import { fromBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLIENT_TOOLS } from '../../catalogue/index.ts';
import { GatewayError, type JsonObject } from '../../core/index.ts';
import { ToolCallSchema } from '../../gen/agent/v1/tool_call_pb.ts';
import {
  ClientSideToolV2CallSchema,
  ClientSideToolV2ResultSchema,
} from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import { succeed } from '../tool-outcome.ts';
import { CALL_SAMPLES } from './fixtures/samples.ts';
import { agentCodec, aiserverCodec } from './index.ts';
import { writeMessage } from './message-json.ts';

/** Objects with the names that messages use, filled with anything. */
const NAMES = ['path', 'tools', 'todos', 'options', 'actions', 'success', 'error', 'result', 'args', 'files'];
const anything = fc.dictionary(fc.constantFrom(...NAMES), fc.jsonValue()).map((given) => given as JsonObject); // JSON by making

/** Decoding may refuse a message, in words; it may not fall over it. */
function expectOrderly(decode: () => unknown): void {
  try {
    decode();
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError);
  }
}

describe('messages that nobody should send', () => {
  it('are refused in words by aiserver.v1 or decoded', () => {
    const row = fc.constantFrom(...CLIENT_TOOLS);
    fc.assert(
      fc.property(row, anything, fc.string(), ({ number, paramsKey, resultKey }, fields, rawArgs) => {
        const call = { tool: number, raw_args: rawArgs, [paramsKey ?? 'internal']: fields };
        const { message } = writeMessage(ClientSideToolV2CallSchema, call);
        expectOrderly(() => aiserverCodec.decodeCall(message));
        const result = { tool: number, [resultKey ?? 'tool_index']: fields };
        const written = writeMessage(ClientSideToolV2ResultSchema, result);
        expectOrderly(() => aiserverCodec.decodeResult(written.message));
      }),
    );
  });

  it('are refused in words by agent.v1 or decoded', () => {
    const members = ToolCallSchema.oneofs.flatMap((oneof) => oneof.fields.map((field) => field.name));
    fc.assert(
      fc.property(fc.constantFrom(...members), anything, anything, (member, args, result) => {
        const { message } = writeMessage(ToolCallSchema, { [member]: { args, result } });
        expectOrderly(() => agentCodec.decodeCall(message));
        expectOrderly(() => agentCodec.decodeResult(message));
      }),
    );
  });

  it('are no success when they hold no result', () => {
    const empty = writeMessage(ClientSideToolV2ResultSchema, { tool: 40 }).message;
    expect(aiserverCodec.decodeResult(empty).outcome).toMatchObject({ ok: false, error: { code: 'FAILED' } });
    const bare = writeMessage(ToolCallSchema, { read_tool_call: { args: { path: 'a' } } }).message;
    expect(agentCodec.decodeResult(bare).outcome).toMatchObject({ ok: false, error: { code: 'FAILED' } });
  });

  it('may be random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        let message: ReturnType<typeof readCall>;
        try {
          message = readCall(bytes);
        } catch {
          return; // no message at all
        }
        expectOrderly(() => aiserverCodec.decodeCall(message));
      }),
    );
  });

  it('do not come from outcomes with strange data', () => {
    const names = Object.keys(CALL_SAMPLES);
    fc.assert(
      fc.property(fc.constantFrom(...names), anything, (name, data) => {
        const outcome = succeed('text', { data });
        expect(aiserverCodec.encodeResult(name, outcome, { callId: 'c' }).message.toolCallId).toBe('c');
        expectOrderly(() => agentCodec.encodeResult(name, outcome, { callId: 'c' }));
      }),
    );
  });
});

function readCall(bytes: Uint8Array) {
  return fromBinary(ClientSideToolV2CallSchema, bytes);
}
