// Where a run works, out of several messages of aiserver.v1: environment, workspace folders, rules, MCP servers.
import { fileURLToPath } from 'node:url';
import { type AgentRule, omitUndefined, type Surroundings } from '../../core/index.ts';
import type { ConversationMessage, StreamUnifiedChatRequest } from '../../gen/aiserver/v1/chat_request_pb.ts';
import type { CursorRule } from '../../gen/aiserver/v1/common_pb.ts';
import { readableFields } from './readable-fields.ts';

type Headers = Readonly<Record<string, string | undefined>>;

export function decodeSurroundings(request: StreamUnifiedChatRequest, headers: Headers): Surroundings {
  const environment = request.environmentInfo;
  const os = [environment?.exthostPlatform, environment?.exthostRelease, environment?.exthostArch]
    .filter(Boolean)
    .join(' ');
  const rules = uniqueRules([
    ...(request.explicitContext?.rules ?? []),
    ...request.conversation.flatMap((message) => message.cursorRules),
  ]);
  return omitUndefined({
    workspaces: some(workspacesOf(request)),
    os: os || environment?.localOsType || headers['x-cursor-client-os'],
    shell: environment?.exthostShell || undefined,
    timeZone: environment?.localTimezone || headers['x-cursor-timezone'],
    rules: some(rules.filter(({ body }) => body).map(({ name, body }) => ({ name, text: body ?? '' }))),
    onDemand: some([...rules.filter(({ body }) => !body).map(describeRule), ...mcpFolders(request)]),
    instructions: some(instructionsOf(request)),
  });
}

/** The first list that says anything; clients fill different ones. */
function workspacesOf(request: StreamUnifiedChatRequest): readonly string[] {
  const lists = [
    request.workspaceFolders.map(({ uri }) => uri),
    request.environmentInfo?.workspaceUris ?? [],
    lastWith(request, (message) => message.workspaceUris),
    lastWith(request, (message) => (message.workspaceProjectDir ? [message.workspaceProjectDir] : [])),
    request.currentFile?.workspaceRootPath ? [request.currentFile.workspaceRootPath] : [],
  ];
  const found = lists.map((list) => list.filter((uri) => uri !== '')).find((list) => list.length > 0);
  return [...new Set((found ?? []).map(pathOf))];
}

function pathOf(uri: string): string {
  // A drive letter needs the rules of the client's machine, whatever this one is.
  if (/^file:\/\/\/[A-Za-z](?::|%3A)/i.test(uri)) {
    return decodeURIComponent(uri.slice('file:///'.length)).replaceAll('/', '\\');
  }
  try {
    return uri.startsWith('file://') ? fileURLToPath(uri, { windows: false }) : uri;
  } catch {
    return uri; // an address of another kind, or of another host
  }
}

function uniqueRules(rules: readonly CursorRule[]): readonly CursorRule[] {
  return [...new Map(rules.map((rule) => [rule.fullPath || rule.name, rule])).values()];
}

function describeRule({ name, description, fullPath }: CursorRule): AgentRule {
  return { name, text: [description, fullPath && `(${fullPath})`].filter(Boolean).join(' ') };
}

function instructionsOf(request: StreamUnifiedChatRequest): readonly AgentRule[] {
  const described = lastWith(request, (message) => message.mcpDescriptors).flatMap(
    ({ serverName, folderPath, serverUseInstructions: text }) =>
      text ? [{ name: serverName || folderPath, text }] : [],
  );
  // No source describes MCPInstructions; a server's name in front of its text is the likely reading.
  const told = (request.explicitContext?.mcpInstructions ?? []).flatMap((message) => {
    const [name, ...text] = readableFields(message);
    if (name === undefined) return [];
    return [text.length === 0 ? { name: 'MCP', text: name } : { name, text: text.join('\n') }];
  });
  return [...told, ...described];
}

/** Servers whose tools are not declared one by one: the client keeps their descriptions in files. */
function mcpFolders(request: StreamUnifiedChatRequest): readonly AgentRule[] {
  return lastWith(request, (message) => message.mcpDescriptors).map(({ serverName, folderPath, tools }) => {
    const names = tools.map(({ toolName, description }) =>
      description ? `${toolName}: ${description}` : toolName,
    );
    const text = [`Described in ${folderPath}.`, ...names].join('\n');
    return { name: `MCP server ${serverName || folderPath}`, text };
  });
}

function lastWith<Item>(
  { conversation }: StreamUnifiedChatRequest,
  read: (message: ConversationMessage) => readonly Item[],
): readonly Item[] {
  return conversation.map(read).findLast((list) => list.length > 0) ?? [];
}

function some<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}
