import { create, fromBinary, toBinary, toJson } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { CLIENT_TOOLS } from '../../catalogue/index.ts';
import {
  StreamedBackPartialToolCallSchema,
  StreamedBackToolCallSchema,
  StreamedBackToolCallV2Schema,
} from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import { BUILTIN_TOOLS } from '../registry.ts';
import { fail } from '../tool-outcome.ts';
import { CALL_SAMPLES } from './fixtures/samples.ts';
import {
  decodePartialCall,
  decodeStreamedBackCall,
  decodeStreamedBackSummary,
  encodePartialCall,
  encodeStreamedBackCall,
  encodeStreamedBackSummary,
  type StreamedBackCall,
} from './index.ts';

const IDS = { callId: 'c1', toolIndex: 2, modelCallId: 'mc' };

function sendWhole(call: StreamedBackCall) {
  const bytes = toBinary(StreamedBackToolCallV2Schema, encodeStreamedBackCall(call).message);
  return decodeStreamedBackCall(fromBinary(StreamedBackToolCallV2Schema, bytes));
}

function sendSummary(call: StreamedBackCall) {
  const bytes = toBinary(StreamedBackToolCallSchema, encodeStreamedBackSummary(call).message);
  return decodeStreamedBackSummary(fromBinary(StreamedBackToolCallSchema, bytes));
}

describe.each(BUILTIN_TOOLS)('a shown call of $name', (tool) => {
  const { args, lostInAiserver = {} } = CALL_SAMPLES[tool.name] ?? { args: {} };
  const call = { ...IDS, name: tool.name, args };

  it('comes back whole from its params', () => {
    const back = sendWhole(call);
    expect(back).toMatchObject({ ...IDS, name: tool.name, modelName: tool.name });
    expect(tool.args.parse(back.args)).toEqual(tool.args.parse(args));
    const { message, lost } = encodeStreamedBackCall(call);
    if (message.params.case !== undefined)
      expect([...lost].sort()).toEqual(Object.keys(lostInAiserver).sort());
  });

  it('comes back from its summary with what the model wrote', () => {
    const back = sendSummary(call);
    expect(back).toMatchObject({ ...IDS, name: tool.name });
    expect(tool.args.parse(back.args)).toEqual(tool.args.parse(args));
  });

  it('is announced by its name before anything else is known', () => {
    const message = encodePartialCall(call);
    const bytes = toBinary(StreamedBackPartialToolCallSchema, message);
    const back = decodePartialCall(fromBinary(StreamedBackPartialToolCallSchema, bytes));
    expect(back).toEqual({ ...IDS, name: tool.name, number: message.tool, modelName: tool.name });
  });
});

describe('a summary', () => {
  it('has a slot for every tool whose params have one, but for three', () => {
    const keys = new Set<string>(StreamedBackToolCallSchema.fields.map((field) => field.name));
    const without = CLIENT_TOOLS.filter(
      ({ paramsKey }) => paramsKey !== undefined && !keys.has(paramsKey.replace(/_params$/, '_stream')),
    );
    expect(without.map((row) => row.enumName)).toEqual([
      'APPLY_AGENT_DIFF',
      'RECORD_SCREEN',
      'GET_MCP_TOOLS',
    ]);
  });

  it.each([
    ['run_terminal_command', { command: 'ls', is_background: true }, { command: 'ls', is_background: true }],
    ['grep', { pattern: 'a', path: 'src' }, { pattern: 'a' }],
    ['ripgrep_search', { query: 'a', regex: true }, { query: 'a' }],
    ['file_search', { query: 'a' }, { query: 'a' }],
    ['delete_file', { path: 'a' }, { relative_workspace_path: 'a' }],
    ['read_file', { path: 'a', limit: 3 }, { params: { target_file: 'a', limit: 3 } }],
    ['web_fetch', { url: 'https://e.org' }, { params: { url: 'https://e.org' } }],
    ['web_search', { search_term: 's' }, { search_term: 's' }],
    ['fetch_rules', { rule_names: ['r'] }, { rule_names: ['r'] }],
    [
      'read_semsearch_files',
      { code_results: [{ path: 'a' }, { path: 'a' }, { path: 'b' }] },
      { num_files: 2 },
    ],
    ['codebase_search', { query: 'q' }, {}],
    ['write', { path: 'a', contents: 'b' }, {}],
    ['update_project', { string_replacements: [{ old_string: 'a', new_string: 'b' }] }, {}],
  ])('of %s %j is %j', (name, args, expected) => {
    const { message } = encodeStreamedBackSummary({ callId: 'c', name, args });
    const json = toJson(StreamedBackToolCallSchema, message, { useProtoFieldName: true });
    const slot = Object.entries(json as object).find(([key]) => key.endsWith('_stream')); // a message is an object
    expect(slot?.[1]).toEqual(expected);
  });

  it('names what only the model’s own text says', () => {
    const { lost } = encodeStreamedBackSummary({
      callId: 'c',
      name: 'grep',
      args: { pattern: 'a', path: 'b' },
    });
    expect(lost).toEqual(['path']);
  });

  it('tells what it can when the model’s text is missing', () => {
    const message = create(StreamedBackToolCallSchema, {
      tool: 41,
      toolCallId: 'c',
      params: { case: 'ripgrepRawSearchStream', value: { pattern: 'a' } },
    });
    expect(decodeStreamedBackSummary(message)).toMatchObject({ name: 'grep', args: { pattern: 'a' } });
  });
});

describe('the error of a shown call', () => {
  const failure = fail('ENOENT', 'a.ts is not there.');
  const call = { callId: 'c', name: 'read_file', args: { path: 'a.ts' }, failure };

  it.each([
    ['whole', encodeStreamedBackCall(call).message, sendWhole(call)],
    ['summary', encodeStreamedBackSummary(call).message, sendSummary(call)],
  ])('is told by the %s without the part meant for a server', (_form, message, back) => {
    expect(message.error?.modelVisibleErrorMessage).toBe('a.ts is not there.');
    expect(
      message.error
        ?.actualErrorMessageOnlySendFromClientToServerNeverTheOtherWayAroundBecauseThatMayBeASecurityRisk,
    ).toBeUndefined();
    expect(back.failure).toEqual(fail('FAILED', 'a.ts is not there.')); // the wire has no code
  });

  it('is absent when there is none', () => {
    expect(sendWhole({ callId: 'c', name: 'read_project', args: {} })).not.toHaveProperty('failure');
  });
});

describe('a partial call', () => {
  it('of a number that no tool has is refused, naming it', () => {
    const message = create(StreamedBackPartialToolCallSchema, { tool: 13, name: 'x' });
    expect(() => decodePartialCall(message)).toThrow(/number 13/);
  });
});
