import { fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../core/index.ts';
import { UpdateTodosArgsSchema } from '../../gen/agent/v1/tool_planning_pb.ts';
import { CallMcpToolParamsSchema } from '../../gen/aiserver/v1/tool_mcp_pb.ts';
import {
  OutputLocationSchema,
  RunTerminalCommandV2ResultSchema,
} from '../../gen/aiserver/v1/tool_shell_pb.ts';
import { readMessage, writeMessage } from './message-json.ts';

describe('messages as JSON', () => {
  it('give 64-bit numbers as numbers', () => {
    const { message } = writeMessage(OutputLocationSchema, { file_path: '/a', size_bytes: 2 ** 40 });
    expect(readMessage(OutputLocationSchema, message, 'words')).toEqual({
      file_path: '/a',
      size_bytes: 2 ** 40,
    });
  });

  it('take enum values by word, full name or number, and give them as asked', () => {
    for (const status of ['in_progress', 'TODO_STATUS_IN_PROGRESS', 2]) {
      const { message, lost } = writeMessage(UpdateTodosArgsSchema, { todos: [{ status }] });
      expect(lost).toEqual([]);
      expect(readMessage(UpdateTodosArgsSchema, message, 'words')).toEqual({
        todos: [{ status: 'in_progress' }],
      });
      expect(readMessage(UpdateTodosArgsSchema, message, 'numbers')).toEqual({ todos: [{ status: 2 }] });
    }
  });

  it('name what does not fit and keep the rest', () => {
    const { message, lost } = writeMessage(RunTerminalCommandV2ResultSchema, {
      output: 'o',
      exit_code: 2 ** 31,
      rejected: 'yes',
      color: 'red',
      background_shell_id: -1,
      output_location: { file_path: '/a', line_count: 1.5, mood: 'good' },
    });
    expect(lost).toEqual([
      'exit_code',
      'rejected',
      'color',
      'background_shell_id',
      'output_location.line_count',
      'output_location.mood',
    ]);
    expect(readMessage(RunTerminalCommandV2ResultSchema, message, 'words')).toEqual({
      output: 'o',
      output_location: { file_path: '/a' },
    });
  });

  it('never fail, whatever is written', () => {
    const names = RunTerminalCommandV2ResultSchema.fields.map((field) => field.name);
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), fc.jsonValue()), (given) => {
        const fields = given as JsonObject; // fast-check types its JSON as unknown
        const { message } = writeMessage(RunTerminalCommandV2ResultSchema, fields);
        const bytes = toBinary(RunTerminalCommandV2ResultSchema, message);
        const back = fromBinary(RunTerminalCommandV2ResultSchema, bytes);
        readMessage(RunTerminalCommandV2ResultSchema, back, 'words');
      }),
    );
  });

  it('carry any JSON in a struct', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: true })), (given) => {
        const plain: JsonValue = JSON.parse(JSON.stringify(given)); // without prototypes and negative zero
        const { message, lost } = writeMessage(CallMcpToolParamsSchema, { tool_args: plain });
        expect(lost).toEqual([]);
        const back = readMessage(CallMcpToolParamsSchema, message, 'words');
        expect(JSON.parse(JSON.stringify(back.tool_args ?? {}))).toEqual(plain);
      }),
    );
  });

  it('say which message holds a value without a JSON form', () => {
    const { message } = writeMessage(CallMcpToolParamsSchema, { tool_args: {} });
    message.toolArgs = { a: Number.NaN };
    expect(() => readMessage(CallMcpToolParamsSchema, message, 'words')).toThrow(/CallMcpToolParams/);
  });
});
