import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ClientSideToolV2CallSchema,
  ClientSideToolV2ResultSchema,
} from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import { BUILTIN_TOOLS } from '../registry.ts';
import { fail, succeed } from '../tool-outcome.ts';
import { CALL_SAMPLES } from './fixtures/samples.ts';
import {
  type ClientSideCall,
  type ClientSideResult,
  decodeClientSideCall,
  decodeClientSideResult,
  encodeClientSideCall,
  encodeClientSideResult,
} from './index.ts';

const IDS = { callId: 'call_1\nfc_2', modelName: 'AsTheModelSaid', toolIndex: 0, modelCallId: 'mc' };
const FRAME = { timeoutMs: 1500.5, isStreaming: true, isLast: true, isInternal: true };

function sendCall(call: ClientSideCall) {
  const { message } = encodeClientSideCall(call);
  return decodeClientSideCall(
    fromBinary(ClientSideToolV2CallSchema, toBinary(ClientSideToolV2CallSchema, message)),
  );
}

function sendResult(result: ClientSideResult) {
  const { message } = encodeClientSideResult(result);
  return decodeClientSideResult(
    fromBinary(ClientSideToolV2ResultSchema, toBinary(ClientSideToolV2ResultSchema, message)),
  );
}

describe('a whole ClientSideToolV2Call', () => {
  it.each(BUILTIN_TOOLS)('of $name keeps ids, frame and arguments', (tool) => {
    const args = CALL_SAMPLES[tool.name]?.args ?? {};
    const modelName = tool.name; // tools that share a number are told apart by it
    const back = sendCall({ ...IDS, ...FRAME, modelName, name: tool.name, args });
    const rawArgs = JSON.stringify(args);
    expect(back).toMatchObject({ ...IDS, ...FRAME, modelName, name: tool.name, rawArgs });
    expect(tool.args.parse(back.args)).toEqual(tool.args.parse(args));
  });

  it('goes into the slot of the number it is given', () => {
    const call = { callId: 'c', name: 'read_file', args: { path: 'a', chars_limit: 9 } };
    expect(encodeClientSideCall(call).message.params.case).toBe('readFileV2Params');
    const older = encodeClientSideCall({ ...call, number: 5 }).message;
    expect([older.tool, older.params.case]).toEqual([5, 'readFileParams']);
    expect(decodeClientSideCall(older)).toMatchObject({ name: 'read_file', number: 5, args: call.args });
  });

  it('has a slot without arguments while the text of a streaming call is not whole', () => {
    const rawArgs = '{"path":"a.ts","conte';
    const { message } = encodeClientSideCall({
      callId: 'c',
      name: 'write',
      args: {},
      rawArgs,
      isStreaming: true,
    });
    expect(message).toMatchObject({ rawArgs, isStreaming: true, isLastMessage: false });
    expect(message.params.case).toBe('editFileV2Params');
    expect(decodeClientSideCall(message)).toMatchObject({ args: {}, rawArgs, isLast: false });
  });

  it('keeps the name by which the model knows a tool of an MCP server', () => {
    const args = { server: 'docs', name: 'find', arguments: { q: 1 } };
    const back = sendCall({ callId: 'c', name: 'mcp', modelName: 'mcp_docs_find', args });
    expect(back).toMatchObject({ name: 'mcp', number: 19, modelName: 'mcp_docs_find', args });
  });

  it('leaves out what is not set', () => {
    const back = sendCall({ callId: 'c', name: 'read_project', args: {} });
    expect(Object.keys(back).sort()).toEqual(
      [
        'args',
        'callId',
        'isInternal',
        'isLast',
        'isStreaming',
        'modelName',
        'name',
        'number',
        'rawArgs',
      ].sort(),
    );
  });

  it('names an id that the message cannot hold', () => {
    const { message, lost } = encodeClientSideCall({
      callId: 'c',
      name: 'read_project',
      args: {},
      toolIndex: -1,
    });
    expect(message.toolIndex).toBeUndefined();
    expect(lost).toEqual(['tool_index']);
  });

  it('carries any id and any text', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, text, fc.nat(), (callId, modelCallId, rawArgs, toolIndex) => {
        const call = { callId, modelCallId, rawArgs, toolIndex, name: 'delete_file', args: { path: 'a' } };
        expect(sendCall(call)).toMatchObject(call);
      }),
    );
  });
});

describe('a whole ClientSideToolV2Result', () => {
  it.each(BUILTIN_TOOLS)('of $name repeats the ids of its call', ({ name, number }) => {
    const { modelName: _, ...ids } = IDS; // the message has no field for it
    const back = sendResult({ ...ids, name, number, outcome: fail('DENIED', 'The user said no.') });
    expect(back).toMatchObject({ ...ids, number, outcome: { ok: false, error: { code: 'DENIED' } } });
  });

  it('keeps what an error says about the edit that failed', () => {
    const data = { search_replace_error_details: { num_lines_in_file_before_edit: 12 } };
    const outcome = fail('NO_MATCH', 'No such text.', { data });
    expect(sendResult({ callId: 'c', name: 'search_replace', outcome }).outcome).toEqual(outcome);
  });

  it('takes the text for the model, else the one for people, else the detail', () => {
    const shown = create(ClientSideToolV2ResultSchema, {
      tool: 40,
      error: { clientVisibleErrorMessage: 'for people' },
    });
    expect(decodeClientSideResult(shown).outcome).toEqual(fail('FAILED', 'for people'));
    const silent = create(ClientSideToolV2ResultSchema, { tool: 40, error: {} });
    expect(decodeClientSideResult(silent).outcome).toMatchObject({ ok: false });
  });

  it.each([
    ['AFTER_EDIT', 'AFTER_EDIT'],
    ['EVERY_10_CALLS', 'EVERY_10_CALLS'],
    ['NEEDS_IN_PROGRESS', 'NEEDS_IN_PROGRESS'],
    ['DISCOVERY_BUDGET', 'NUDGE'], // about no to-do list; only its text has a place
  ])('carries a reminder of type %s as %s', (type, expected) => {
    const outcome = succeed('', { attachments: { todo_reminder: { type, message: 'Look.' } } });
    const { attachments } = sendResult({ callId: 'c', name: 'create_diagram', outcome }).outcome;
    expect(attachments).toEqual({ todo_reminder: { type: expected, message: 'Look.' } });
  });

  it('carries the to-do list before and after, and the budget', () => {
    const attachments = {
      original_todos: [{ id: '1', content: 'c', status: 'pending' }],
      updated_todos: [{ id: '1', content: 'c', status: 'completed', dependencies: ['0'] }],
      discovery_budget_reminder: { discovery_rounds_remaining: 3, discovery_effort: 'low' },
    };
    const outcome = succeed('', { attachments });
    expect(sendResult({ callId: 'c', name: 'create_diagram', outcome }).outcome.attachments).toEqual(
      attachments,
    );
  });

  it('has no attachments when there is nothing the wire can say', () => {
    const outcome = succeed('', { attachments: { duration_ms: 4 } });
    const { message } = encodeClientSideResult({ callId: 'c', name: 'create_diagram', outcome });
    expect(message.attachments).toBeUndefined();
  });
});
