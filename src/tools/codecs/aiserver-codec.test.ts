import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findClientTool } from '../../catalogue/index.ts';
import type { JsonObject } from '../../core/index.ts';
import {
  type ClientSideToolV2Call,
  ClientSideToolV2CallSchema,
  type ClientSideToolV2Result,
  ClientSideToolV2ResultSchema,
} from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import { BUILTIN_TOOLS } from '../registry.ts';
import { fail, succeed } from '../tool-outcome.ts';
import { aiserverCodec } from './aiserver-codec.ts';
import { CALL_SAMPLES } from './fixtures/samples.ts';

const NO_PARAMS = ['await', 'ai_attribution', 'reflect', 'send_to_user', 'connect_scm', 'generate_image'];

function overTheWire(call: ClientSideToolV2Call): ClientSideToolV2Call {
  return fromBinary(ClientSideToolV2CallSchema, toBinary(ClientSideToolV2CallSchema, call));
}

function resultOverTheWire(result: ClientSideToolV2Result): ClientSideToolV2Result {
  return fromBinary(ClientSideToolV2ResultSchema, toBinary(ClientSideToolV2ResultSchema, result));
}

describe('calls in aiserver.v1', () => {
  it('has a sample of every built-in tool', () => {
    expect(Object.keys(CALL_SAMPLES).sort()).toEqual(BUILTIN_TOOLS.map((tool) => tool.name).sort());
  });

  it('knows the tools without a params slot', () => {
    const without = BUILTIN_TOOLS.filter((tool) => findClientTool(tool.number)?.paramsKey === undefined);
    expect(without.map((tool) => tool.name).sort()).toEqual([...NO_PARAMS].sort());
  });

  describe.each(BUILTIN_TOOLS)('of $name', (tool) => {
    const sample = CALL_SAMPLES[tool.name] ?? { args: {} };
    const { message, lost } = aiserverCodec.encodeCall(tool.name, sample.args, { callId: 'c1' });

    it('come back as the arguments the tool takes', () => {
      const decoded = aiserverCodec.decodeCall(overTheWire(message));
      expect(decoded).toMatchObject({ callId: 'c1', name: tool.name, number: message.tool });
      expect(tool.args.parse(decoded.args)).toEqual(tool.args.parse(sample.args));
    });

    it('say what the typed params do not hold', () => {
      const expected = NO_PARAMS.includes(tool.name)
        ? Object.keys(sample.args).filter((name) => sample.args[name] !== 0)
        : Object.keys(sample.lostInAiserver ?? {});
      expect([...lost].sort()).toEqual(expected.sort());
    });

    it('need no raw arguments for what the params hold', () => {
      if (NO_PARAMS.includes(tool.name)) return;
      const { args } = aiserverCodec.decodeCall({ ...overTheWire(message), rawArgs: '' });
      const kept = Object.fromEntries(Object.entries(sample.args).filter(([name]) => !lost.includes(name)));
      if (Object.keys(kept).length === 0) return;
      expect(tool.args.parse(args)).toEqual(tool.args.parse(kept));
    });
  });

  it('take the typed params over the raw arguments where both say something', () => {
    const { message } = aiserverCodec.encodeCall('delete_file', { path: 'typed.ts' }, { callId: 'c' });
    message.rawArgs = '{"path":"raw.ts"}';
    expect(aiserverCodec.decodeCall(message).args).toEqual({ path: 'typed.ts' });
  });

  it('ignore raw arguments that the tool would not take', () => {
    const { message } = aiserverCodec.encodeCall('web_search', { search_term: 's' }, { callId: 'c' });
    for (const rawArgs of ['{"search_te', '{"max_results":"many"}', '[1]', 'null']) {
      message.rawArgs = rawArgs;
      expect(aiserverCodec.decodeCall(message).args, rawArgs).toEqual({ search_term: 's' });
    }
  });

  it('read a first-version read_file as today’s', () => {
    const message = create(ClientSideToolV2CallSchema, {
      tool: 5,
      toolCallId: 'c',
      params: {
        case: 'readFileParams',
        value: { relativeWorkspacePath: 'a', startLineOneIndexed: 3, endLineOneIndexedInclusive: 7 },
      },
    });
    const { name, number, args } = aiserverCodec.decodeCall(message);
    const tool = BUILTIN_TOOLS.find((one) => one.name === name);
    expect([name, number]).toEqual(['read_file', 5]);
    expect(tool?.args.parse(args)).toMatchObject({ path: 'a', offset: 3, limit: 5 });
  });

  it('tell edits that share a number by their name and by their arguments', () => {
    const message = create(ClientSideToolV2CallSchema, { tool: 38, toolCallId: 'c' });
    message.rawArgs = '*** Begin Patch\n*** End Patch';
    expect(aiserverCodec.decodeCall(message).name).toBe('apply_patch');
    message.rawArgs = '{"path":"a","old_string":"x","new_string":"y"}';
    expect(aiserverCodec.decodeCall(message)).toMatchObject({
      name: 'search_replace',
      args: { path: 'a', old_string: 'x', new_string: 'y' },
    });
    message.name = 'Write';
    expect(aiserverCodec.decodeCall(message).name).toBe('write');
  });

  it('need no params when the raw arguments say it all', () => {
    const rawArgs = '{"shell_id":"7","chars":"y"}';
    const message = create(ClientSideToolV2CallSchema, { tool: 55, rawArgs });
    expect(aiserverCodec.decodeCall(message).args).toMatchObject({ shell_id: '7', chars: 'y' });
  });

  it('refuse numbers and names that do not exist, naming them', () => {
    const message = create(ClientSideToolV2CallSchema, { tool: 2 });
    expect(() => aiserverCodec.decodeCall(message)).toThrow(/number 2/);
    expect(() => aiserverCodec.encodeCall('reed_file', {}, { callId: 'c' })).toThrow(/reed_file.*read_file/);
  });

  it('carry any text in any argument', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (old, replacement) => {
        const args = { path: 'a', old_string: old, new_string: replacement };
        const { message } = aiserverCodec.encodeCall('search_replace', args, { callId: 'c' });
        expect(aiserverCodec.decodeCall(overTheWire(message)).args).toEqual(args);
      }),
    );
  });
});

const CHUNK = '@@ -1 +1 @@\n-a\n+b';
const EDITED = {
  files: [
    {
      file_was_created: true,
      contents_before_edit: 'a',
      contents_after_edit: 'b',
      eol_sequence: '\n',
      lines_added: 1,
      lines_removed: 1,
    },
  ],
  diff_string: CHUNK,
};

/** The first version of the result holds the diff alone, not the texts. */
const APPLIED = {
  files: [{ lines_added: 1, lines_removed: 1 }],
  diff_string: CHUNK,
  is_applied: true,
};

const RESULTS: readonly (readonly [name: string, content: string, data: JsonObject])[] = [
  ['read_file', 'text', { contents: 'text', num_characters_in_requested_range: 4, total_lines_in_file: 1 }],
  ['write', 'Wrote a.', EDITED],
  ['delete_file', '', { file_deleted_successfully: true }],
  ['apply_patch', 'Patched.', EDITED],
  ['search_replace', '', { ...APPLIED, num_matches: 2 }],
  ['edit_notebook', '', APPLIED],
  ['edit_file', '', APPLIED],
  ['reapply', '', APPLIED],
  ['apply_agent_diff', '', { applied_changes: [{ path: 'a', change: 'created' }] }],
  ['read_semsearch_files', '', { missing_files: [{ relative_workspace_path: 'a', missing_reason: 2 }] }],
  ['ripgrep_search', '', { internal: { results: [{ resource: 'a' }], limit_hit: true } }],
  ['search_symbols', '', { matches: [{ name: 'n', uri: 'u', score: 2.5 }] }],
  ['fix_lints', '', { file_results: [{ file_path: 'a', is_applied: true }] }],
  ['fetch_rules', '', { rules: [{ name: 'r', body: 'b' }] }],
  ['background_composer_followup', '', { proposed_followup: 'f', is_sent: true }],
  ['knowledge_base', 'Noted.', { success: true, confirmation_message: 'Noted.', id: 'i' }],
  ['task_v1', '', { completed_task_result: { summary: 's' } }],
  ['await_task', '', { task_results: [{ task_id: 't', result: { summary: 's' } }], missing_task_ids: ['u'] }],
  ['task', '', { agent_id: 'a', is_background: true }],
  ['ai_attribution', '', { success: { attribution_text: 't' } }],
  ['fetch_pull_request', 'text', { content: 'text', pr_number: 12, comments: [{ id: 1, body: 'b' }] }],
  ['create_diagram', '', {}],
  ['computer_use', '', { success: { action_count: 1, duration_ms: 5 } }],
  ['record_screen', '', { save_success: { path: '/v', recording_duration_ms: 12 } }],
  ['read_project', 'notes', { plan: 'notes' }],
  ['update_project', 'new', { success: true, updated_plan: 'new' }],
  [
    'codebase_search',
    '',
    { code_results: [{ code_block: { relative_workspace_path: 'a', contents: 'x' }, score: 0.5 }] },
  ],
  ['file_search', '', { files: [{ uri: 'a' }], limit_hit: false, num_results: 1 }],
  ['deep_search', 'r', { success: true, result: 'r' }],
  [
    'list_dir_v1',
    '',
    {
      files: [{ name: 'a', size: 12, last_modified: '2026-01-02T03:04:05Z' }],
      directory_relative_workspace_path: 'src',
    },
  ],
  [
    'list_dir',
    '',
    { directory_tree_root: { abs_path: '/w', children_files: [{ name: 'a' }], num_files: 1 } },
  ],
  [
    'grep',
    '',
    {
      success: {
        pattern: 'x',
        output_mode: 'content',
        workspace_results: {
          '/w': { content: { matches: [{ file: 'a', matches: [{ line_number: 3, content: 'x' }] }] } },
        },
      },
    },
  ],
  ['glob_file_search', '', { directories: [{ abs_path: '/w', files: [{ rel_path: 'a' }], total_files: 1 }] }],
  [
    'read_lints',
    '',
    { linter_errors_by_file: [{ relative_workspace_path: 'a', errors: [{ message: 'm', severity: 2 }] }] },
  ],
  ['go_to_definition', '', { definitions: [{ relative_workspace_path: 'a', start_line: 1, end_line: 2 }] }],
  [
    'run_terminal_command',
    'out',
    { output: 'out', exit_code: 0, output_location: { file_path: '/t', size_bytes: 5_000_000_000 } },
  ],
  ['write_shell_stdin', '', { success: { shell_id: 3, terminal_file_length_before_input_written: 9 } }],
  ['todo_read', '', { todos: [{ id: '1', content: 'c', status: 'pending' }] }],
  ['todo_write', '', { success: true, ready_task_ids: ['1'], final_todos: [{ id: '1', content: 'c' }] }],
  ['create_plan', '', { plan_uri: 'p', modified: { new_plan: 'n' } }],
  ['ask_question', '', { answers: [{ question_id: 'q', selected_option_ids: ['o'], freeform_text: '' }] }],
  ['switch_mode', '', { from_mode_id: 'agent', to_mode_id: 'plan', user_approved: true }],
  ['report_bugfix_results', '', { success: { results: [{ bug_id: 'b', verdict: 'fixed' }] } }],
  ['generate_image', '', { success: { file_path: '/a.png' } }],
  ['web_search', '', { references: [{ title: 't', url: 'u', chunk: 'c' }] }],
  ['web_fetch', '# page', { url: 'https://e.org', markdown: '# page' }],
  ['mcp', 'said', { result: 'said' }],
  ['call_mcp_tool', 'said', { rows: [1, 2] }],
  ['get_mcp_tools', 'list', { content: 'list' }],
  ['list_mcp_resources', '', { resources: [{ uri: 'u', server: 's' }] }],
  ['read_mcp_resource', '', { uri: 'u', text: 't' }],
  ['mcp_auth', 'm', { success: true, message: 'm' }],
];

describe('results in aiserver.v1', () => {
  it('has a sample of every tool with a result slot', () => {
    const slotted = BUILTIN_TOOLS.filter((tool) => findClientTool(tool.number)?.resultKey !== undefined);
    expect(RESULTS.map(([name]) => name).sort()).toEqual(slotted.map((tool) => tool.name).sort());
  });

  it.each(RESULTS)('of %s come back with their text and data', (name, content, data) => {
    const { message, lost } = aiserverCodec.encodeResult(name, succeed(content, { data }), { callId: 'c1' });
    expect(lost).toEqual([]);
    const { outcome, callId } = aiserverCodec.decodeResult(resultOverTheWire(message));
    expect(callId).toBe('c1');
    expect(outcome).toMatchObject({ ok: true, data: withoutFalse(data) });
    if (content !== '') expect(outcome).toMatchObject({ content });
  });

  it.each(BUILTIN_TOOLS.map((tool) => tool.name))('of %s may be a failure, with its code', (name) => {
    const { message } = aiserverCodec.encodeResult(name, fail('ENOENT', 'a.ts is not there.'), {
      callId: 'c1',
    });
    expect(message.result.case).toBeUndefined();
    const { outcome } = aiserverCodec.decodeResult(resultOverTheWire(message));
    expect(outcome).toEqual(fail('ENOENT', 'a.ts is not there.'));
  });

  it('go to the slot of the number the call came with', () => {
    const outcome = succeed('Done.', { data: { ...EDITED, num_matches: 2 } });
    const { message } = aiserverCodec.encodeResult('search_replace', outcome, { callId: 'c' });
    expect([message.tool, message.result.case]).toEqual([7, 'editFileResult']);
    const other = aiserverCodec.encodeResult('search_replace', outcome, { callId: 'c', number: 38 });
    expect(other.message.result.case).toBe('editFileV2Result');
  });

  it('say which data had no place', () => {
    const data = { contents: 'x', encoding: 'utf-8', total_lines_in_file: 1.5 };
    const { lost } = aiserverCodec.encodeResult('read_file', succeed('x', { data }), { callId: 'c' });
    expect([...lost].sort()).toEqual(['encoding', 'total_lines_in_file']);
    const { lost: text } = aiserverCodec.encodeResult('reflect', succeed('x'), { callId: 'c' });
    expect(text).toEqual(['content']);
  });

  it('carry pictures that were read, and find out their kind', () => {
    const source = { type: 'base64', data: 'iVBORw0KGgoAAA==', mediaType: 'image/png' } as const;
    const { message } = aiserverCodec.encodeResult(
      'read_file',
      succeed('a picture', { parts: [{ type: 'image', source }] }),
      { callId: 'c' },
    );
    const { outcome } = aiserverCodec.decodeResult(resultOverTheWire(message));
    expect(outcome).toMatchObject({ ok: true, parts: [{ type: 'image', source }] });
  });

  it('carry reminders about the to-do list', () => {
    const attachments = { todo_reminder: { type: 'AFTER_EDIT', message: 'Bring it up to date.' } };
    const { message } = aiserverCodec.encodeResult('delete_file', succeed('', { attachments }), {
      callId: 'c',
    });
    expect(aiserverCodec.decodeResult(resultOverTheWire(message)).outcome.attachments).toEqual(attachments);
  });

  it.each([
    ['rejected', { rejected: true }, 'DENIED'],
    ['missing', { fileNonExistent: true }, 'ENOENT'],
  ])('that say %s inside are failures', (_what, value, code) => {
    const message = create(ClientSideToolV2ResultSchema, {
      tool: 11,
      result: { case: 'deleteFileResult', value },
    });
    expect(aiserverCodec.decodeResult(message).outcome).toMatchObject({ ok: false, error: { code } });
  });
});

/** False is not written where a field has no presence; the tests above have it only at the top. */
function withoutFalse(data: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== false));
}
