// What a call would do on the machine of whoever runs it, from its arguments alone: no disk is looked at, and paths stay
// as the call names them.
import { isJsonObject, type JsonValue } from '../../core/index.ts';
import type { Tool, Touch } from '../tool.ts';

/** The arguments that name files or folders; several tools share each. */
const PATH_ARGUMENTS = [
  'path',
  'paths',
  'directory_path',
  'target_directory',
  'target_directories',
  'target_notebook',
  'reference_image_paths',
  'code_results',
];
const PATCH_ARGUMENTS = ['patch', 'diff'];
const DELETE_FILE = 11;
const GENERATE_IMAGE = 53;
const GET_MCP_TOOLS = 63;
/** What is asked of a server beside its tools, as rules speak of it. */
const SERVER_DEEDS: Readonly<Record<number, string>> = {
  44: 'resources/list',
  45: 'resources/read',
  60: 'auth',
};

/** `args` as the tool's own schema gives them. */
export function callTouches(tool: Pick<Tool, 'number' | 'risk'>, args: unknown): readonly Touch[] {
  if (!isJsonObject(args)) return [];
  const text = (key: string): string => (typeof args[key] === 'string' ? args[key] : '');
  const touches: Touch[] = [
    ...PATH_ARGUMENTS.flatMap((key) => textsIn(args[key])).flatMap((path) => pathTouches(tool, path)),
    ...PATCH_ARGUMENTS.flatMap((key) => patchedFiles(text(key))),
  ];
  if (text('command') !== '')
    touches.push({ type: 'command', command: text('command'), cwd: text('working_directory') || '.' });
  if (text('url') !== '') touches.push({ type: 'host', url: text('url') });
  if (text('downloadPath') !== '')
    touches.push({ type: 'path', path: text('downloadPath'), access: 'write' });
  const server = text('server') || text('server_identifier');
  // Looking a tool up in what was declared reaches no server.
  if (server !== '' && tool.number !== GET_MCP_TOOLS) {
    const deed = SERVER_DEEDS[tool.number] ?? (text('toolName') || text('name'));
    touches.push({ type: 'mcp', server, tool: deed });
  }
  return touches;
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(isJsonObject(one) ? one.path : one));
  return [];
}

/** An edit shows what was there, so it reads too. */
function pathTouches({ number, risk }: Pick<Tool, 'number' | 'risk'>, path: string): Touch[] {
  const read: Touch = { type: 'path', path, access: 'read' };
  if (number === DELETE_FILE) return [{ type: 'path', path, access: 'delete' }];
  return risk === 'write' && number !== GENERATE_IMAGE
    ? [read, { type: 'path', path, access: 'write' }]
    : [read];
}

const PATCHED_FILE = /^(?:\*\*\* (Add|Update|Delete) File:|\*\*\* Move to:|\+\+\+|---) (.+)$/gm;

function patchedFiles(patch: string): Touch[] {
  return [...patch.matchAll(PATCHED_FILE)].flatMap(([, verb, name = '']) => {
    const path = name.trim().replace(/^[ab]\/|\t.*$/g, '');
    if (path === '/dev/null') return [];
    return [
      { type: 'path' as const, path, access: verb === 'Delete' ? ('delete' as const) : ('write' as const) },
    ];
  });
}
