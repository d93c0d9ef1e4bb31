// Which of the caller's tools does what a built-in tool of the backend would do: by its name, and only if its schema
// takes what has to be said. Names and properties are those of Claude Code, OpenCode, Codex, Cline, Continue and Cursor.
import { foldToolName, resolveToolName } from '../../../catalogue/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import type { AgentTool } from '../agent-tools.ts';
import type { BuiltinCall, BuiltinKind, Slot } from './builtin-call.ts';

/** Rows of the catalogue by what they do. */
const NUMBERS: Readonly<Record<BuiltinKind, readonly number[]>> = {
  read: [40, 5],
  write: [38],
  edit: [38],
  delete: [11],
  list: [39, 6],
  grep: [41, 3],
  glob: [42],
  shell: [15],
  fetch: [57],
};

/** Names of other agents' tools that the catalogue has no row for. */
const OTHER_NAMES: Readonly<Record<BuiltinKind, readonly string[]>> = {
  read: ['view', 'view_file', 'open_file', 'cat'],
  write: ['write_to_file', 'write_file', 'create_file', 'create_new_file', 'save_file'],
  edit: ['str_replace_editor', 'edit_existing_file', 'replace_in_file', 'replace'],
  delete: ['remove_file', 'delete'],
  list: ['list', 'list_files', 'list_directory', 'ls', 'view_directory'],
  grep: ['search_files', 'search_file_content', 'rg', 'ripgrep'],
  glob: ['find_files', 'find', 'file_glob_search'],
  shell: [
    'exec_command',
    'execute_command',
    'run_command',
    'run_commands',
    'shell_command',
    'local_shell',
    'terminal',
  ],
  fetch: ['fetch', 'fetch_url', 'fetch_url_content', 'read_url'],
};

const PROPERTIES: Readonly<Record<Slot, readonly string[]>> = {
  path: [
    'path',
    'file_path',
    'filepath',
    'target_file',
    'file',
    'filename',
    'absolute_path',
    'relative_workspace_path',
    'target_directory',
    'directory_path',
    'dir_path',
    'directory',
    'dir',
    'folder',
    'notebook_path',
  ],
  content: ['content', 'contents', 'file_text', 'text', 'file_content'],
  oldText: ['old_string', 'old_text', 'old_str'],
  newText: ['new_string', 'new_text', 'new_str'],
  command: ['command', 'cmd', 'command_line', 'script', 'commands'],
  directory: ['workdir', 'working_directory', 'cwd'],
  pattern: ['pattern', 'query', 'regex', 'search_pattern', 'glob_pattern'],
  glob: ['include', 'glob', 'include_pattern', 'file_pattern'],
  ignoreCase: ['i', 'case_insensitive', 'ignore_case'],
  offset: ['offset'],
  limit: ['limit'],
  url: ['url', 'uri'],
  purpose: ['description', 'explanation', 'purpose', 'justification', 'reason', 'prompt'],
};

const SLOT_OF = new Map<string, Slot[]>();
// `Object.entries` forgets that the keys are slots.
for (const [slot, names] of Object.entries(PROPERTIES) as [Slot, string[]][]) {
  for (const name of names) {
    const folded = foldToolName(name);
    SLOT_OF.set(folded, [...(SLOT_OF.get(folded) ?? []), slot]);
  }
}

export interface FittedCall {
  readonly tool: AgentTool;
  readonly input: JsonObject;
}

export function findCallerTool(call: BuiltinCall, tools: readonly AgentTool[]): FittedCall | undefined {
  for (const tool of tools) {
    if (tool.definition.kind !== 'function' || !doesKind(tool.definition.name, call.kind)) continue;
    const input = fitArguments(call, tool.schema);
    if (input) return { tool, input };
  }
  return undefined;
}

function doesKind(name: string, kind: BuiltinKind): boolean {
  const folded = foldToolName(name).replace(/^builtin/, ''); // Continue's prefix
  if (OTHER_NAMES[kind].some((other) => foldToolName(other) === folded)) return true;
  return NUMBERS[kind].includes(resolveToolName(folded).number);
}

/** Undefined when the tool needs something that the call does not say, or cannot take something essential. */
function fitArguments(call: BuiltinCall, schema: JsonObject): JsonObject | undefined {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const input: JsonObject = {};
  const filled = new Set<Slot>();
  for (const [name, property] of Object.entries(properties)) {
    const slot = SLOT_OF.get(foldToolName(name))?.find(
      (each) => call.values[each] !== undefined && !filled.has(each),
    );
    const value = slot && fitValue(call.values[slot], name, property);
    if (slot && value !== undefined) {
      input[name] = value;
      filled.add(slot);
    } else if (required.includes(name)) {
      const preset = isJsonObject(property) ? property.default : undefined;
      if (preset === undefined) return undefined;
      input[name] = preset;
    }
  }
  return call.essential.every((slot) => filled.has(slot)) ? input : undefined;
}

function fitValue(value: JsonValue | undefined, name: string, property: JsonValue): JsonValue | undefined {
  const type = isJsonObject(property) ? property.type : undefined;
  const types = Array.isArray(type) ? type : [type];
  if (type === undefined || types.includes(typeOf(value))) return value;
  if (types.includes('integer') && Number.isInteger(value)) return value;
  if (!types.includes('array') || typeof value !== 'string') return undefined;
  // Cline takes a list of command lines; Codex takes one argument list, so a command line needs a shell.
  return name === 'commands' ? [value] : ['bash', '-lc', value];
}

function typeOf(value: JsonValue | undefined): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}
