// Arguments of each tool in the `args` of its member of `agent.v1.ToolCall`. Known from public reconstructions of the
// protobuf files. Several tools share a member; it is decoded as the newest of them. Guessed: `name` and `tool_name`
// of McpArgs, of which clients fill one or both.
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import { readJobId } from '../builtin/shell/job-id.ts';
import { type CallForm, extend, named } from './call-form.ts';
import { SCREEN_ACTIONS } from './screen-action-form.ts';
import { objectAt, TEXT_SEARCH } from './search-forms.ts';

const SHELL: CallForm = extend(
  named('command', 'working_directory', 'is_background', 'timeout_behavior', 'description', {
    timeout_ms: 'timeout',
    hard_timeout_ms: 'hard_timeout',
  }),
  {
    encode: (args) => ({ close_stdin: args.stdin === 'closed' ? true : undefined }),
    decode: (fields) => ({
      stdin: fields.close_stdin === true ? 'closed' : undefined,
      timeout_behavior: fields.timeout_behavior === 'unspecified' ? undefined : fields.timeout_behavior,
    }),
  },
);

const OLDER_GREP: CallForm = extend(named('multiline', { query: 'pattern', max_results: 'head_limit' }), {
  encode: ({ case_sensitive, include_pattern }) => ({
    case_insensitive: case_sensitive !== true,
    glob: Array.isArray(include_pattern) && include_pattern.length === 1 ? include_pattern[0] : undefined,
  }),
  decode: ({ case_insensitive, glob }) => ({
    case_sensitive: case_insensitive !== true,
    include_pattern: glob === undefined ? undefined : [glob],
  }),
});

/** `SubagentType` has a member for each type that Cursor knows; every other is `custom` with its name. */
const SUBAGENT_MEMBERS: ReadonlySet<JsonValue | undefined> = new Set([
  'computer_use',
  'explore',
  'media_review',
  'bash',
  'browser_use',
  'shell',
  'vm_setup_helper',
  'debug',
  'cursor_guide',
  'watch_video',
]);

const SUB_AGENT: CallForm = extend(named('description', 'prompt', 'model', 'resume', 'attachments'), {
  encode: ({ subagent_type: type, readonly }) => ({
    subagent_type: SUBAGENT_MEMBERS.has(type)
      ? { [String(type)]: {} }
      : { custom: { name: type ?? 'generalPurpose' } },
    mode: readonly === true ? 'plan' : undefined,
  }),
  decode: (fields) => ({
    subagent_type: subagentType(objectAt(fields, 'subagent_type')),
    readonly: fields.mode === 'plan' ? true : undefined,
  }),
});

function subagentType(type: JsonObject): JsonValue | undefined {
  const [member] = Object.keys(type);
  if (member === 'custom') return objectAt(type, 'custom').name;
  return member === 'unspecified' ? undefined : member;
}

/** One message for both ways to call a tool of a server; `args` is a map of values. */
const MCP: CallForm = {
  encode: ({ name, arguments: given, server }) => ({
    name,
    tool_name: name,
    args: isJsonObject(given) ? given : undefined,
    provider_identifier: server,
    server_identifier: server,
  }),
  decode: (fields) => ({
    name: fields.tool_name ?? fields.name,
    arguments: fields.args,
    server: fields.provider_identifier ?? fields.server_identifier,
  }),
};

const CALL_MCP: CallForm = {
  encode: ({ toolName, ...rest }) => MCP.encode(toolName === undefined ? rest : { ...rest, name: toolName }),
  decode(fields) {
    const { name, ...rest } = MCP.decode(fields);
    return { ...rest, toolName: name };
  },
};

export const AGENT_CALLS: Readonly<Record<string, CallForm>> = {
  read_file: named('path', 'offset', 'limit', { line_numbers: 'include_line_numbers' }),
  write: named('path', { contents: 'stream_content' }),
  search_replace: named('path'),
  apply_patch: named(),
  edit_notebook: named({ target_notebook: 'path' }),
  edit_file: named('path', { code_edit: 'stream_content' }),
  delete_file: named('path'),
  apply_agent_diff: named('agent_id'),

  read_semsearch_files: named('query'),
  ripgrep_search: OLDER_GREP,
  list_dir_v1: named({ directory_path: 'path' }),
  codebase_search: named('query', 'target_directories'),
  list_dir: named({ target_directory: 'path', ignore_globs: 'ignore' }),
  grep: named(...TEXT_SEARCH),
  glob_file_search: named('glob_pattern', 'target_directory'),
  read_lints: named('paths'),

  run_terminal_command: SHELL,
  write_shell_stdin: {
    encode: ({ shell_id, chars }) => ({ shell_id: readJobId(String(shell_id)), chars }),
    decode: ({ shell_id, chars }) => ({ shell_id: String(shell_id ?? 0), chars: chars ?? '' }),
  },
  await: named('task_id', 'block_until_ms', { pattern: 'regex' }),

  task_v1: named({ task_description: 'prompt', task_title: 'description', model_override: 'model' }),
  task: SUB_AGENT,
  await_task: {
    encode: ({ ids, timeout_ms }) => ({
      task_id: Array.isArray(ids) ? ids[0] : undefined,
      block_until_ms: timeout_ms,
    }),
    decode: ({ task_id, block_until_ms }) => ({
      ids: task_id === undefined ? [] : [task_id],
      timeout_ms: block_until_ms,
    }),
  },
  todo_read: named({ status: 'status_filter', ids: 'id_filter' }),
  todo_write: named('todos', 'merge'),
  create_plan: named('name', 'overview', 'plan', 'todos'),
  ask_question: named('title', 'questions'),
  switch_mode: named('target_mode_id', 'explanation'),
  report_bugfix_results: named('summary', 'results'),
  ai_attribution: named('file_paths', 'commit_hashes', 'start_line', 'end_line'),
  reflect: named(
    'unexpected_action_outcomes',
    'relevant_instructions',
    'scenario_analysis',
    'critical_synthesis',
    'next_steps',
  ),
  send_to_user: named('message'),
  connect_scm: named('github'),

  web_search: named('search_term'),
  web_fetch: named('url'),
  generate_image: named('description', 'reference_image_paths', 'aspect_ratio', { filename: 'file_path' }),
  computer_use: SCREEN_ACTIONS,
  record_screen: named('mode', 'save_as_filename'),

  mcp: MCP,
  call_mcp_tool: CALL_MCP,
  list_mcp_resources: named('server'),
  read_mcp_resource: named('server', 'uri', { downloadPath: 'download_path' }),
  mcp_auth: named('server_identifier'),
  get_mcp_tools: named('server', 'pattern', { toolName: 'tool_name' }),
};

/** Members that several tools share, and the tool each of them is decoded as. */
export const SHARED_MEMBERS: Readonly<Record<string, string>> = {
  edit_tool_call: 'write',
  grep_tool_call: 'grep',
  ls_tool_call: 'list_dir',
  sem_search_tool_call: 'codebase_search',
  task_tool_call: 'task',
  await_tool_call: 'await',
  mcp_tool_call: 'mcp',
};
