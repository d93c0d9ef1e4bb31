// Results of each tool in its `…_result` message of aiserver.v1 (`ClientSideToolV2Result`), by number.
// Known from public reconstructions of the protobuf files. Tools spell their result data as these messages do, so
// most rows only say where the text for the model goes.
import { isJsonObject, type JsonObject } from '../../core/index.ts';
import { succeed, type ToolSuccess } from '../tool-outcome.ts';
import { present } from './call-form.ts';
import { changeType, editData, editedFile, fileDiff } from './edited-files.ts';
import { picturePart, picturesIn } from './picture-part.ts';
import { listOf, type ResultForm, sameData, textIn } from './result-form.ts';
import { objectAt } from './search-forms.ts';

const READ: ResultForm = {
  encode: ({ content, data, parts }) => ({
    contents: content,
    ...data,
    images: picturesIn(parts).map((picture) => ({ data: picture.data })),
  }),
  decode(fields) {
    const { images, ...data } = fields;
    const parts = listOf(images).flatMap((image) =>
      typeof image.data === 'string' ? [picturePart(image.data)] : [],
    );
    return succeed(textIn(fields, 'contents'), { data, ...(parts.length === 0 ? {} : { parts }) });
  },
};

const OLDER_READ: ResultForm = {
  encode: ({ content, data }) => ({
    contents: data?.contents ?? content,
    relative_workspace_path: data?.path,
    total_lines: data?.total_lines_in_file,
    start_line_one_indexed: data?.start_line,
    end_line_one_indexed_inclusive: data?.end_line,
    did_shorten_line_range: data?.truncated,
  }),
  decode: (fields) =>
    succeed(textIn(fields, 'contents'), {
      data: present({
        path: fields.relative_workspace_path,
        contents: fields.contents ?? '',
        total_lines_in_file: fields.total_lines,
        start_line: fields.start_line_one_indexed,
        end_line: fields.end_line_one_indexed_inclusive,
        truncated: fields.did_shorten_line_range,
      }),
    }),
};

const EDIT_V2: ResultForm = {
  encode(outcome) {
    const edited = editedFile(outcome.data);
    const { file_was_created, contents_before_edit, contents_after_edit, eol_sequence } = edited.file;
    return {
      file_was_created,
      contents_before_edit,
      contents_after_edit,
      eol_sequence,
      diff: fileDiff(edited),
      result_for_model: outcome.content,
      ...leftFiles(edited.others),
    };
  },
  decode: (fields) => succeed(textIn(fields, 'result_for_model'), { data: editData(fields) }),
};

const EDIT: ResultForm = {
  encode({ data }) {
    const edited = editedFile(data);
    const { num_matches } = data ?? {};
    return { is_applied: true, diff: fileDiff(edited), num_matches, ...leftFiles(edited.others) };
  },
  decode(fields) {
    const data = editData(fields);
    return succeed(['The edit was applied.', data.diff_string].filter(Boolean).join('\n\n'), { data });
  },
};

/** One result message is about one file; the name here makes the codec report the others as lost. */
function leftFiles(others: readonly JsonObject[]): JsonObject {
  return others.length === 0 ? {} : { files: [...others] };
}

const AGENT_DIFF: ResultForm = {
  enums: 'words',
  encode: ({ data }) => ({
    success: {
      applied_changes: listOf(data?.applied_changes).map(({ path, change }) =>
        present({ path, change_type: changeType(change) }),
      ),
    },
  }),
  decode(fields) {
    const changes = listOf(objectAt(fields, 'success').applied_changes);
    const lines = changes.map(({ path, change_type }) => `${change_type ?? 'changed'} ${path}`);
    const applied = changes.map(({ path, change_type }) => present({ path, change: change_type }));
    return succeed(lines.join('\n'), { data: { applied_changes: applied } });
  },
};

const SHELL: ResultForm = {
  encode: ({ content, data }) => ({
    output: content,
    ...data,
    exit_code_v2: data?.exit_code,
  }),
  decode(fields) {
    const { exit_code_v2, ...rest } = fields;
    // Only the newer field tells an exit code of 0 from none.
    const data = exit_code_v2 === undefined ? rest : { ...rest, exit_code: exit_code_v2 };
    return succeed(textIn(fields, 'output'), { data });
  },
};

/** `mcp_result` is text alone; `call_mcp_tool_result` holds the whole answer as MCP spells it. */
const MCP_TEXT: ResultForm = {
  encode: ({ content, attachments }) => ({
    result: content,
    selected_tool: typeof attachments?.tool === 'string' ? attachments.tool : undefined,
  }),
  decode: (fields) => succeed(textIn(fields, 'result'), { data: fields }),
};

const MCP_ANSWER: ResultForm = {
  encode: ({ content, data, parts }) => ({
    result: {
      ...(data === undefined ? {} : { structuredContent: data }),
      content: [
        { type: 'text', text: content },
        ...picturesIn(parts).map(({ data: picture, mediaType }) => ({
          type: 'image',
          data: picture,
          mimeType: mediaType,
        })),
      ],
    },
  }),
  decode: (fields) => mcpAnswer(objectAt(fields, 'result')),
};

function mcpAnswer({ content, structuredContent }: JsonObject): ToolSuccess {
  const items = listOf(content);
  const text = items.flatMap((item) => (typeof item.text === 'string' ? [item.text] : [])).join('\n');
  const parts = items.flatMap(({ type, data, mimeType }) =>
    type === 'image' && typeof data === 'string' ? [picturePart(data, String(mimeType))] : [],
  );
  return succeed(text, {
    ...(isJsonObject(structuredContent) ? { data: structuredContent } : {}),
    ...(parts.length === 0 ? {} : { parts }),
  });
}

const DATA = sameData();

/** A number that is not here has a result of the same shape as the tool's data, and no text of its own. */
const FORMS: Readonly<Record<number, ResultForm>> = {
  5: OLDER_READ,
  7: EDIT,
  12: EDIT,
  15: SHELL,
  19: MCP_TEXT,
  25: sameData('confirmation_message'),
  26: sameData('content'),
  27: sameData('result'),
  38: EDIT_V2,
  40: READ,
  46: sameData('plan'),
  47: sameData('updated_plan'),
  49: MCP_ANSWER,
  50: AGENT_DIFF,
  57: sameData('markdown'),
  58: sameData(undefined, 'words'),
  60: sameData('message'),
  63: sameData('content'),
};

export function aiserverResult(number: number): ResultForm {
  return FORMS[number] ?? DATA;
}
