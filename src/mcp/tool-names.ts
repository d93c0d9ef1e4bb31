// How models call the tools of MCP servers. Function names are limited to 64 letters, digits, `_` and `-` by the
// strictest model APIs, so names that do not fit are cut and end in a hash of the whole; the list gives them back.
import { sha256 } from './server-definition.ts';

const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/** A server without double underscores cannot be mistaken for a shorter server with a longer tool. */
const PLAIN_SERVER = /^[A-Za-z\d-]+(?:_[A-Za-z\d-]+)*$/;
const PLAIN_TOOL = /^[A-Za-z\d_-]+$/;

export function modelNameOf(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  if (PLAIN_SERVER.test(server) && PLAIN_TOOL.test(tool) && plain.length <= MAX_LENGTH) return plain;
  const hash = sha256(JSON.stringify([server, tool])).slice(0, HASH_LENGTH);
  const readable = plain.replace(/[^A-Za-z\d_-]/g, '_').slice(0, MAX_LENGTH - HASH_LENGTH - 1);
  return `${readable}_${hash}`;
}

export interface NamedTool {
  readonly server: string;
  readonly name: string;
  readonly modelName: string;
}

/**
 * Every tool that a name may mean, by the strictest reading that finds any. More than one means that the name is
 * ambiguous: guessing would let one server answer in another's name.
 */
export function findByName<T extends NamedTool>(wanted: string, tools: readonly T[]): readonly T[] {
  // `mcp__files__read` says which server is meant; a tool of another server that bears this very name is not.
  const readings = /^mcp_/i.test(wanted) ? FULL_READINGS : [...FULL_READINGS, ...BARE_READINGS];
  return firstFound(wanted, tools, readings);
}

/** The same among the tools of one server that the call names apart. */
export function findOnServer<T extends NamedTool>(wanted: string, tools: readonly T[]): readonly T[] {
  return firstFound(wanted, tools, [...BARE_READINGS, ...FULL_READINGS]);
}

type Reading = (wanted: string, tool: NamedTool) => boolean;

function firstFound<T extends NamedTool>(
  wanted: string,
  tools: readonly T[],
  readings: readonly Reading[],
): readonly T[] {
  for (const reading of readings) {
    const found = tools.filter((tool) => reading(wanted, tool));
    if (found.length > 0) return found;
  }
  return [];
}

const FULL_READINGS: readonly Reading[] = [
  (wanted, { modelName }) => wanted === modelName,
  (wanted, { server, name }) =>
    [`mcp__${server}__${name}`, `mcp_${server}_${name}`, `${server}:${name}`, `${server}/${name}`].includes(
      wanted,
    ),
  (wanted, { server, name }) =>
    [`${server}__${name}`, `${server}_${name}`, `${server}-${name}`, `${server}.${name}`].includes(wanted),
  // Clients and models change case and punctuation: mcp_my-server_doIt, mcp_my_server_do_it.
  (wanted, { server, name, modelName }) =>
    [modelName, `mcp${server}${name}`, server + name].map(foldName).includes(foldName(wanted)),
];

const BARE_READINGS: readonly Reading[] = [
  (wanted, { name }) => wanted === name,
  (wanted, { name }) => foldName(wanted) === foldName(name),
];

/** Whether a name begins with that server, with or without `mcp` before it. */
export function namesServer(wanted: string, server: string): boolean {
  const folded = foldName(wanted);
  const start = foldName(server);
  return start !== '' && (folded.startsWith(start) || folded.startsWith(`mcp${start}`));
}

/** As tool names are compared everywhere: case and punctuation carry no meaning. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
