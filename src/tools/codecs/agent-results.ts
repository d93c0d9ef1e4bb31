// Outcomes of each tool in the `result` of its member of `agent.v1.ToolCall`. Known from public reconstructions of the
// protobuf files. Most are `{ success: … }` around data that tools spell the same way; the rows here are the others.
import { fail, succeed } from '../tool-outcome.ts';
import { type AgentResult, dataInSuccess, inSuccess } from './agent-result-form.ts';
import { GLOB, GREP, LINTS, LIST } from './agent-search-results.ts';
import { decodeShell, encodeShell } from './agent-shell-result.ts';
import { present } from './call-form.ts';
import { changeType, editedFile } from './edited-files.ts';
import { picturePart, picturesIn } from './picture-part.ts';
import { listOf, textIn } from './result-form.ts';
import { objectAt } from './search-forms.ts';

/** Data that names the member itself, as `{ success: … }` or `{ complete: … }`. */
const WHOLE: AgentResult = {
  encode: ({ data }) => data ?? { success: {} },
  decode: (result) => succeed(JSON.stringify(result), { data: result }),
};

/** Members that only say that it went well. */
function done(text: string): AgentResult {
  return inSuccess(
    () => ({}),
    () => succeed(text),
  );
}

const READ = inSuccess(
  ({ content, data, parts }) => {
    const [picture] = picturesIn(parts);
    const { path, contents, total_lines_in_file, file_size, start_line, end_line, truncated, is_empty } =
      data ?? {};
    const range = present({ start_line, end_line });
    return {
      path,
      is_empty,
      file_size,
      exceeded_limit: truncated,
      total_lines: total_lines_in_file,
      read_range: Object.keys(range).length === 0 ? undefined : range,
      ...(picture ? { data: picture.data } : { content: contents ?? content }),
    };
  },
  (success) => {
    const { content, data, path, is_empty, file_size, exceeded_limit, total_lines } = success;
    const facts = present({
      path,
      is_empty,
      file_size,
      truncated: exceeded_limit,
      total_lines_in_file: total_lines,
      ...objectAt(success, 'read_range'),
    });
    if (typeof data === 'string')
      return succeed(`${path ?? 'The file'} is a picture; it is attached.`, {
        data: facts,
        parts: [picturePart(data)],
      });
    const contents = typeof content === 'string' ? content : '';
    return succeed(contents, { data: { ...facts, contents } });
  },
);

const EDIT = inSuccess(
  ({ content, data }) => {
    const { file, diff, others } = editedFile(data);
    return {
      path: file.path,
      lines_added: file.lines_added,
      lines_removed: file.lines_removed,
      diff_string: diff,
      before_full_file_content: file.contents_before_edit,
      after_full_file_content: file.contents_after_edit,
      message: content,
      files: others.length === 0 ? undefined : [...others],
    };
  },
  (success) => {
    const file = present({
      path: success.path,
      contents_before_edit: success.before_full_file_content,
      contents_after_edit: success.after_full_file_content ?? '',
      lines_added: success.lines_added,
      lines_removed: success.lines_removed,
    });
    const data = { files: [file], diff_string: success.diff_string ?? '' };
    return succeed(textIn(success, 'message'), { data });
  },
);

const DELETE = inSuccess(
  ({ data }) => ({
    path: data?.path,
    deleted_file: data?.path,
    file_size: data?.file_size,
    prev_content: data?.prev_content,
  }),
  ({ deleted_file, ...data }) =>
    succeed(`Deleted ${data.path ?? deleted_file}.`, { data: { ...data, file_deleted_successfully: true } }),
);

const AGENT_CHANGES = inSuccess(
  ({ data }) => ({
    applied_changes: listOf(data?.applied_changes).map(({ path, change }) =>
      present({ path, change_type: changeType(change) }),
    ),
  }),
  (success) => {
    const changes = listOf(success.applied_changes).map(({ path, change_type }) =>
      present({ path, change: change_type }),
    );
    return succeed(JSON.stringify(changes), { data: { applied_changes: changes } });
  },
);

/** Its words are the last thing the sub-agent said; the message has no other place for them. */
const TASK = inSuccess(
  ({ content, data }) => ({
    agent_id: data?.agent_id,
    is_background: data?.is_background,
    conversation_steps: [{ assistant_message: { text: content } }],
  }),
  ({ conversation_steps, ...data }) => {
    const said = listOf(conversation_steps).map((step) => objectAt(step, 'assistant_message').text);
    const text = said.findLast((one) => typeof one === 'string');
    return succeed(typeof text === 'string' ? text : '', { data: { is_background: false, ...data } });
  },
);

const PLAN: AgentResult = {
  encode: ({ data }) => ({ success: {}, plan_uri: data?.plan_uri }),
  decode: ({ plan_uri }) =>
    succeed('The user accepted the plan.', { data: present({ accepted: {}, plan_uri }) }),
};

const MCP = inSuccess(
  ({ content, data, parts }) => ({
    structured_content: data,
    content: [
      { text: { text: content } },
      ...picturesIn(parts).map((picture) => ({
        image: { data: picture.data, mime_type: picture.mediaType },
      })),
    ],
  }),
  ({ content, is_error, structured_content }) => {
    const items = listOf(content);
    const text = items.flatMap((item) => objectAt(item, 'text').text ?? []).join('\n');
    if (is_error === true) return fail('FAILED', text || 'The MCP server reported an error.');
    const parts = items.flatMap((item) => {
      const { data, mime_type } = objectAt(item, 'image');
      return typeof data === 'string' ? [picturePart(data, String(mime_type))] : [];
    });
    const data = objectAt({ structured_content: structured_content ?? null }, 'structured_content');
    return succeed(text, {
      ...(structured_content === undefined ? {} : { data }),
      ...(parts.length === 0 ? {} : { parts }),
    });
  },
);

const TODOS = inSuccess(
  ({ data }) => {
    const todos = listOf(data?.final_todos ?? data?.todos);
    return { todos, total_count: data?.total_count ?? todos.length, was_merge: data?.was_merge };
  },
  ({ todos, ...rest }) => {
    const items = listOf(todos);
    return succeed(JSON.stringify(items), { data: { ...rest, todos: items } });
  },
);

/** By member of the union; a member that is not here holds the tool's data in `success`. */
const FORMS: Readonly<Record<string, AgentResult>> = {
  read_tool_call: READ,
  edit_tool_call: EDIT,
  delete_tool_call: DELETE,
  apply_agent_diff_tool_call: AGENT_CHANGES,
  grep_tool_call: GREP,
  ls_tool_call: LIST,
  glob_tool_call: GLOB,
  sem_search_tool_call: dataInSuccess('results'),
  read_lints_tool_call: LINTS,
  shell_tool_call: { encode: encodeShell, encodeFailure: encodeShell, decode: decodeShell },
  write_shell_stdin_tool_call: WHOLE,
  await_tool_call: WHOLE,
  task_tool_call: TASK,
  read_todos_tool_call: TODOS,
  update_todos_tool_call: TODOS,
  create_plan_tool_call: PLAN,
  report_bugfix_results_tool_call: WHOLE,
  ai_attribution_tool_call: dataInSuccess('attribution_text'),
  reflect_tool_call: done('Noted.'),
  send_to_user_tool_call: done('Told the user.'),
  connect_scm_tool_call: done('Connected.'),
  generate_image_tool_call: WHOLE,
  computer_use_tool_call: WHOLE,
  record_screen_tool_call: WHOLE,
  web_fetch_tool_call: dataInSuccess('markdown'),
  mcp_tool_call: MCP,
  mcp_auth_tool_call: done('Signed in.'),
  get_mcp_tools_tool_call: dataInSuccess('content'),
};

const DATA = dataInSuccess();

export function agentResult(member: string): AgentResult {
  return FORMS[member] ?? DATA;
}
