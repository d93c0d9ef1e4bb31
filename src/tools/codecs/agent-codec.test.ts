import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { findClientTool } from '../../catalogue/index.ts';
import type { JsonObject } from '../../core/index.ts';
import { type ToolCall, ToolCallSchema } from '../../gen/agent/v1/tool_call_pb.ts';
import { BUILTIN_TOOLS } from '../registry.ts';
import { fail, succeed } from '../tool-outcome.ts';
import { AGENT_CALLS } from './agent-calls.ts';
import { agentCodec } from './agent-codec.ts';
import { CALL_SAMPLES } from './fixtures/samples.ts';

const NO_MEMBER = [
  'background_composer_followup',
  'create_diagram',
  'deep_search',
  'fetch_pull_request',
  'fetch_rules',
  'file_search',
  'fix_lints',
  'go_to_definition',
  'knowledge_base',
  'read_project',
  'reapply',
  'search_symbols',
  'update_project',
];

const SPOKEN = BUILTIN_TOOLS.filter((tool) => !NO_MEMBER.includes(tool.name));

function overTheWire(call: ToolCall): ToolCall {
  return fromBinary(ToolCallSchema, toBinary(ToolCallSchema, call));
}

describe('calls in agent.v1', () => {
  it('knows the tools without a member of ToolCall', () => {
    const without = BUILTIN_TOOLS.filter((tool) => findClientTool(tool.number)?.agentToolCall === undefined);
    expect(without.map((tool) => tool.name).sort()).toEqual(NO_MEMBER);
    expect(Object.keys(AGENT_CALLS).sort()).toEqual(SPOKEN.map((tool) => tool.name).sort());
  });

  it.each(NO_MEMBER)('refuses to say %s, and says what to do', (name) => {
    expect(() => agentCodec.encodeCall(name, {}, { callId: 'c' })).toThrow(/MCP tool/);
  });

  describe.each(SPOKEN)('of $name', (tool) => {
    const sample = CALL_SAMPLES[tool.name] ?? { args: {} };
    const { message, lost } = agentCodec.encodeCall(tool.name, sample.args, { callId: 'c1' });

    it('say what the arguments message does not hold', () => {
      expect([...lost].sort()).toEqual(Object.keys(sample.lostInAgent ?? {}).sort());
    });

    it('come back as the arguments a tool takes', () => {
      const decoded = agentCodec.decodeCall(overTheWire(message));
      expect(decoded).toMatchObject({ callId: 'c1', name: sample.agentDecodesAs ?? tool.name });
      if (sample.agentDecodesAs !== undefined) return;
      const kept = Object.fromEntries(Object.entries(sample.args).filter(([name]) => !lost.includes(name)));
      if (Object.keys(kept).length === 0) return;
      expect(tool.args.parse(decoded.args)).toEqual(tool.args.parse(kept));
    });
  });

  it('decode what shares a member as the newest tool, with its arguments', () => {
    const decoded = (name: string, args: JsonObject) => {
      const { message } = agentCodec.encodeCall(name, args, { callId: 'c' });
      return agentCodec.decodeCall(overTheWire(message)).args;
    };
    expect(decoded('call_mcp_tool', { server: 's', toolName: 't', arguments: { a: 1 } })).toEqual({
      name: 't',
      server: 's',
      arguments: { a: 1 },
    });
    expect(decoded('list_dir_v1', { directory_path: 'src' })).toEqual({ target_directory: 'src' });
    expect(decoded('ripgrep_search', { query: 'x', max_results: 3 })).toEqual({
      pattern: 'x',
      head_limit: 3,
      '-i': true,
    });
    expect(decoded('await_task', { ids: ['t1'], timeout_ms: 5 })).toEqual({
      task_id: 't1',
      block_until_ms: 5,
    });
  });

  it('name sub-agents by their member, and others as custom ones', () => {
    const call = (subagent_type: string) =>
      agentCodec.encodeCall('task', { description: 'd', prompt: 'p', subagent_type }, { callId: 'c' });
    for (const type of ['explore', 'generalPurpose', 'reviewer']) {
      const { message, lost } = call(type);
      expect(lost).toEqual([]);
      expect(agentCodec.decodeCall(overTheWire(message)).args.subagent_type).toBe(type);
    }
  });

  it('refuse a message without a member that a tool stands for', () => {
    expect(() => agentCodec.decodeCall(create(ToolCallSchema))).toThrow(/without a known member/);
  });
});

const RESULTS: readonly (readonly [name: string, content: string, data: JsonObject])[] = [
  [
    'read_file',
    'text',
    { path: '/a', contents: 'text', total_lines_in_file: 9, file_size: 4, start_line: 2, end_line: 3 },
  ],
  [
    'write',
    'Wrote it.',
    {
      files: [{ path: '/a', contents_before_edit: '', contents_after_edit: 'b', lines_added: 1 }],
      diff_string: '+b',
    },
  ],
  ['delete_file', '', { path: '/a', file_size: 4, prev_content: 'text', file_deleted_successfully: true }],
  [
    'grep',
    '',
    {
      success: {
        pattern: 'x',
        output_mode: 'count',
        workspace_results: { '/w': { count: { counts: [{ file: 'a', count: 2 }], total_files: 1 } } },
      },
    },
  ],
  ['glob_file_search', '', { directories: [{ abs_path: '/w', files: [{ rel_path: 'a' }], total_files: 1 }] }],
  [
    'list_dir',
    '',
    { directory_tree_root: { abs_path: '/w', children_files: [{ name: 'a' }], num_files: 1 } },
  ],
  [
    'codebase_search',
    'found',
    { code_results: [{ code_block: { relative_workspace_path: 'a' }, score: 0.5 }] },
  ],
  [
    'read_lints',
    '',
    {
      linter_errors_by_file: [
        {
          relative_workspace_path: 'a',
          errors: [
            {
              message: 'm',
              severity: 2,
              source: 's',
              range: { start_position: { line: 1, column: 2 }, end_position: { line: 1, column: 3 } },
            },
          ],
        },
      ],
    },
  ],
  ['write_shell_stdin', '', { success: { shell_id: 3, terminal_file_length_before_input_written: 9 } }],
  ['await', '', { complete: { task_id: '3', runtime_ms: 5, exit_code: 0 } }],
  ['todo_read', '', { todos: [{ id: '1', content: 'c', status: 'in_progress' }], total_count: 1 }],
  ['task', 'All is done.', { agent_id: 'a', is_background: true }],
  ['create_plan', '', { accepted: {}, plan_uri: 'p' }],
  ['ask_question', '', { answers: [{ question_id: 'q', selected_option_ids: ['o'] }] }],
  ['switch_mode', '', { from_mode_id: 'agent', to_mode_id: 'plan' }],
  ['report_bugfix_results', '', { success: { results: [{ bug_id: 'b', verdict: 'false_positive' }] } }],
  ['generate_image', '', { success: { file_path: '/a.png' } }],
  ['computer_use', '', { success: { action_count: 2, duration_ms: 9, cursor_position: { x: 1, y: 2 } } }],
  ['record_screen', '', { save_success: { path: '/v', recording_duration_ms: 12 } }],
  ['web_search', '', { references: [{ title: 't', url: 'u', chunk: 'c' }] }],
  ['web_fetch', '# page', { url: 'u', markdown: '# page' }],
  ['mcp', 'said', { rows: [1, { a: null }] }],
  ['list_mcp_resources', '', { resources: [{ uri: 'u', server: 's' }] }],
  ['read_mcp_resource', '', { uri: 'u', text: 't' }],
  ['get_mcp_tools', 'list', { content: 'list' }],
];

describe('results in agent.v1', () => {
  it.each(RESULTS)('of %s come back with their text and data', (name, content, data) => {
    const { message, lost } = agentCodec.encodeResult(name, succeed(content, { data }), { callId: 'c1' });
    expect(lost).toEqual([]);
    const decoded = agentCodec.decodeResult(overTheWire(message));
    expect(decoded.callId).toBe('c1');
    expect(decoded.outcome).toMatchObject({ ok: true, data });
    if (content !== '') expect(decoded.outcome).toMatchObject({ content });
  });

  it.each(SPOKEN.map((tool) => tool.name))('of %s may be a failure that keeps its message', (name) => {
    const { message } = agentCodec.encodeResult(name, fail('NO_MATCH', 'x is not in a.ts.'), {
      callId: 'c1',
    });
    const { outcome } = agentCodec.decodeResult(overTheWire(message));
    expect(outcome).toMatchObject({ ok: false, error: { code: 'FAILED', message: 'x is not in a.ts.' } });
  });

  it.each(['write', 'delete_file', 'run_terminal_command', 'web_search', 'mcp', 'switch_mode'])(
    'of %s tell a refusal from an error',
    (name) => {
      const { message } = agentCodec.encodeResult(name, fail('DENIED', 'Not today.'), { callId: 'c' });
      const { outcome } = agentCodec.decodeResult(overTheWire(message));
      expect(outcome).toMatchObject({ ok: false, error: { code: 'DENIED', message: 'Not today.' } });
    },
  );

  it('of a command tell its exit code, and a failed command is no failed call', () => {
    for (const exit_code of [0, 3]) {
      const data = { command: 'x', working_directory: '/w', exit_code, stdout: 'o', execution_time: 5 };
      const { message, lost } = agentCodec.encodeResult('run_terminal_command', succeed('o', { data }), {
        callId: 'c',
      });
      expect(lost).toEqual([]);
      const { outcome } = agentCodec.decodeResult(overTheWire(message));
      expect(outcome).toMatchObject({ ok: true, content: 'o', data });
    }
  });

  it('of a command that took too long keep what it printed', () => {
    const data = { command: 'x', stdout: 'half', exit_code: 143 };
    const { message } = agentCodec.encodeResult('run_terminal_command', fail('ETIMEDOUT', 'half', { data }), {
      callId: 'c',
    });
    expect(agentCodec.decodeResult(overTheWire(message)).outcome).toMatchObject({
      ok: false,
      error: { code: 'ETIMEDOUT', message: 'half' },
      data,
    });
  });

  it('of the older search and listing take the form of the newer', () => {
    const results = [{ match: { preview_text: 'x' } }, { context: { line_number: 3 } }];
    const matches = { internal: { results: [{ resource: 'a', results }] } };
    const grep = agentCodec.encodeResult('ripgrep_search', succeed('', { data: matches }), { callId: 'c' });
    expect(grep.lost).toEqual([]);
    expect(JSON.stringify(agentCodec.decodeResult(overTheWire(grep.message)).outcome.data)).toContain(
      '{"line_number":3,"content":"x"}',
    );
    const files = [
      { name: 'a', is_directory: false },
      { name: 'd', is_directory: true },
    ];
    const listing = { files, directory_relative_workspace_path: 'src' };
    const list = agentCodec.encodeResult('list_dir_v1', succeed('', { data: listing }), { callId: 'c' });
    expect(agentCodec.decodeResult(overTheWire(list.message)).outcome.data).toMatchObject({
      directory_tree_root: { children_files: [{ name: 'a' }], children_dirs: [{ abs_path: 'src/d' }] },
    });
  });

  it('carry pictures of MCP tools and of files', () => {
    const source = { type: 'base64', data: 'iVBORw0KGgoAAA==', mediaType: 'image/png' } as const;
    for (const name of ['mcp', 'read_file']) {
      const outcome = succeed('see', { parts: [{ type: 'image', source }] });
      const { message } = agentCodec.encodeResult(name, outcome, { callId: 'c' });
      expect(agentCodec.decodeResult(overTheWire(message)).outcome).toMatchObject({
        parts: [{ type: 'image', source }],
      });
    }
  });
});
