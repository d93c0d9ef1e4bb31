// Arguments of each tool in its `…_params` message of aiserver.v1 (`ClientSideToolV2Call`). Known from public
// reconstructions of the protobuf files; that V2 edits other than whole texts travel as V1 edits is our reading.
import { isJsonObject, type JsonValue } from '../../core/index.ts';
import { readJobId } from '../builtin/shell/job-id.ts';
import { type CallForm, extend, named } from './call-form.ts';
import { listOf } from './result-form.ts';
import { SCREEN_ACTIONS } from './screen-action-form.ts';
import { EDITOR_SEARCH, FOUND_PLACES, objectAt, TEXT_SEARCH } from './search-forms.ts';

export interface AiserverCall {
  readonly form: CallForm;
  /** The number whose slot carries it, where the tool's own cannot. */
  readonly number?: number;
}

const PATH = { path: 'relative_workspace_path' };
const NOTHING = named();
const EDIT_FILE = 7;

const SHELL: CallForm = extend(
  named('command', 'new_session', 'is_background', {
    working_directory: 'cwd',
    description: 'command_description',
  }),
  {
    encode: (args) => ({
      options: args.timeout_ms === undefined ? undefined : { timeout: args.timeout_ms },
      require_user_approval: true, // whoever executes it asks its own user; we give no consent on their behalf
    }),
    decode(fields) {
      const options = objectAt(fields, 'options');
      return { timeout_ms: options.command_run_timeout_ms ?? options.timeout };
    },
  },
);

const SUB_AGENT: CallForm = extend(named('description', 'prompt', 'subagent_type', 'model'), {
  encode: (args) => ({ mode: args.readonly === true ? 'plan' : undefined }),
  decode: (fields) => ({
    description: fields.description ?? fields.name,
    readonly: fields.mode === 'plan' ? true : undefined,
  }),
});

const MCP: CallForm = {
  encode: ({ name, arguments: given, server }) => ({
    tools: [
      {
        name: name ?? '',
        ...(server === undefined ? {} : { server_name: server }),
        parameters: JSON.stringify(given ?? {}),
      },
    ],
  }),
  decode({ tools }) {
    const [tool] = listOf(tools);
    return { name: tool?.name, arguments: argumentsIn(tool?.parameters), server: tool?.server_name };
  },
};

/** Text that is no JSON object stays as it is, for the tool's schema to refuse with its own words. */
function argumentsIn(parameters: JsonValue | undefined): JsonValue | undefined {
  if (typeof parameters !== 'string' || parameters === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(parameters);
    return isJsonObject(parsed) ? parsed : parameters;
  } catch {
    return parameters;
  }
}

/** The wire leaves out an empty text; here both sides of a replacement are always meant. */
const PROJECT_NOTES: CallForm = extend(named('string_replacements', 'summary'), {
  decode: ({ string_replacements }) => ({
    string_replacements: listOf(string_replacements).map((one) => ({
      old_string: '',
      new_string: '',
      ...one,
    })),
  }),
});

export const AISERVER_CALLS: Readonly<Record<string, AiserverCall>> = {
  read_file: {
    form: named('offset', 'limit', 'chars_limit', {
      path: 'target_file',
      line_numbers: 'enable_line_numbers',
    }),
  },
  write: { form: named(PATH, { contents: 'contents_after_edit' }) },
  search_replace: {
    number: EDIT_FILE,
    form: named(PATH, 'old_string', 'new_string', { replace_all: 'allow_multiple_matches' }),
  },
  apply_patch: { form: NOTHING },
  edit_notebook: {
    number: EDIT_FILE,
    form: named('is_new_cell', 'cell_language', 'old_string', 'new_string', {
      target_notebook: 'relative_workspace_path',
      cell_idx: 'notebook_cell_idx',
    }),
  },
  edit_file: {
    form: named(PATH, 'old_string', 'new_string', 'is_new_cell', 'cell_language', {
      code_edit: 'contents',
      replace_all: 'allow_multiple_matches',
      ignore_whitespace: 'use_whitespace_insensitive_fallback',
      cell_idx: 'notebook_cell_idx',
    }),
  },
  delete_file: { form: named(PATH) },
  reapply: { form: named(PATH) },
  apply_agent_diff: { form: named('agent_id') },
  read_project: { form: NOTHING },
  update_project: { form: PROJECT_NOTES },

  read_semsearch_files: { form: FOUND_PLACES },
  ripgrep_search: { form: EDITOR_SEARCH },
  list_dir_v1: { form: named('directory_path') },
  file_search: { form: named('query') },
  codebase_search: { form: named('query', 'include_pattern', 'exclude_pattern', { num_results: 'top_k' }) },
  deep_search: { form: named('query') },
  list_dir: { form: named('target_directory', 'ignore_globs') },
  grep: { form: named(...TEXT_SEARCH, 'ignore_globs') },
  glob_file_search: { form: named('glob_pattern', 'target_directory') },

  search_symbols: { form: named('query') },
  fix_lints: { form: NOTHING },
  read_lints: {
    form: extend(named('paths'), { decode: ({ path, paths }) => ({ paths: paths ?? path }) }),
  },
  go_to_definition: { form: named('symbol', 'start_line', 'end_line', PATH) },

  run_terminal_command: { form: SHELL },
  write_shell_stdin: {
    form: {
      encode: ({ shell_id, chars }) => ({ shell_id: readJobId(String(shell_id)), chars }),
      decode: ({ shell_id, chars }) => ({ shell_id: String(shell_id ?? 0), chars: chars ?? '' }),
    },
  },

  fetch_rules: { form: named('rule_names') },
  background_composer_followup: { form: named('proposed_followup', 'bc_id') },
  knowledge_base: { form: named('action', 'title', 'knowledge_to_store', 'existing_knowledge_id') },
  task_v1: {
    form: named('task_description', 'task_title', 'async', 'allowed_write_directories', 'model_override'),
  },
  await_task: { form: named('ids') },
  todo_read: { form: { encode: () => ({ read: true }), decode: () => ({}) } },
  todo_write: { form: named('todos', 'merge') },
  create_plan: {
    form: extend(named('name', 'overview', 'plan', 'todos'), {
      decode: ({ name, title, overview, summary }) => ({
        name: name ?? title,
        overview: overview ?? summary,
      }),
    }),
  },
  task: { form: SUB_AGENT },
  ask_question: { form: named('title', 'questions') },
  switch_mode: { form: named('explanation', { target_mode_id: 'to_mode_id' }) },
  report_bugfix_results: { form: named('summary', 'results') },

  web_search: { form: named('search_term') },
  fetch_pull_request: { form: named('pull_number_or_commit_hash', 'repo') },
  create_diagram: { form: named('content') },
  computer_use: { form: SCREEN_ACTIONS },
  record_screen: { form: named('mode', 'save_as_filename') },
  web_fetch: { form: named('url') },

  mcp: { form: MCP },
  list_mcp_resources: { form: named('server') },
  read_mcp_resource: { form: named('server', 'uri', { downloadPath: 'download_path' }) },
  call_mcp_tool: { form: named('server', { toolName: 'tool_name', arguments: 'tool_args' }) },
  mcp_auth: { form: named('server_identifier') },
  get_mcp_tools: { form: named('server', 'pattern', { toolName: 'tool_name' }) },
};

/** Numbers without a tool of their own here: an older message that one of today's tools answers. */
export const OLDER_CALLS: Readonly<Record<number, { readonly tool: string; readonly form: CallForm }>> = {
  5: {
    tool: 'read_file',
    form: named(PATH, 'read_entire_file', 'start_line_one_indexed', 'end_line_one_indexed_inclusive', {
      chars_limit: 'max_chars',
    }),
  },
};
