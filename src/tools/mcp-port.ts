// What the tool runtime knows of MCP servers. The connections live elsewhere and are handed in, so that tools need
// neither a transport nor a protocol to be listed, judged and called.
import type { JsonObject } from '../core/index.ts';
import { defineResource } from './resources.ts';
import type { Progress } from './tool-context.ts';
import { fail, type ToolFailure, type ToolOutcome } from './tool-outcome.ts';

/** `withheld`: its definition came from a workspace file and is not the one that was agreed to. */
export type McpServerState =
  | 'idle'
  | 'connecting'
  | 'ready'
  | 'failed'
  | 'needs-sign-in'
  | 'disabled'
  | 'withheld';

/** `unneeded` until the server has asked for it. */
export type McpAuthState = 'unneeded' | 'needed' | 'signed-in';

export interface McpServerInfo {
  readonly name: string;
  /** `config`, or the file that defines it. */
  readonly origin: string;
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly state: McpServerState;
  readonly auth: McpAuthState;
  /** Drives a browser; has a protection of its own. */
  readonly isPlaywright: boolean;
  /** What the server says about its use; a stranger's words. */
  readonly instructions?: string;
  /** Why it is not ready. */
  readonly problem?: string;
  /** For a withheld server: what changed in its definition, to be shown to the user and to nobody else. */
  readonly change?: McpChange;
}

/** `none`: nobody was asked yet; `changed`: not what was agreed to, and therefore neither offered nor called. */
export type McpConsent = 'none' | 'given' | 'changed';

export interface McpChange {
  /** Names exactly the state that was shown; consent is given to it and to no later one. */
  readonly fingerprint: string;
  readonly diff: string;
}

export interface McpTool {
  readonly server: string;
  /** As the server calls it. */
  readonly name: string;
  /** As models call it: `mcp__server__tool`, at most 64 characters. */
  readonly modelName: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** The server's own claims (`readOnlyHint` …); nothing may rest on them. */
  readonly annotations?: JsonObject;
  readonly fingerprint: string;
  readonly consent: McpConsent;
  /** For a changed tool. Holds a stranger's words: for the user, never for the model. */
  readonly change?: McpChange;
}

export interface McpResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: JsonObject;
  /** An RFC 6570 template to fill in, not a resource itself. */
  readonly isTemplate: boolean;
}

export interface McpResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** base64 */
  readonly blob?: string;
}

export interface McpPrompt {
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly isRequired: boolean;
  }[];
}

/** A server that could not answer; the others still did. */
export interface McpProblem {
  readonly server: string;
  readonly message: string;
}

export interface McpCall {
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly signal: AbortSignal;
  /** The tool's fingerprint when the call was cleared; it stands for consent to a change, and to no later one. */
  readonly clearedFor?: string | undefined;
  progress?(update: Progress): void;
}

/** What the policy asks of a tool, without waiting; undefined for tools that were never listed. */
export interface McpToolFacts {
  readonly isPlaywright: boolean;
  /** The server's own claim. */
  readonly isReadOnly: boolean;
  readonly isChanged: boolean;
  readonly fingerprint: string;
}

export interface McpPort {
  servers(): readonly McpServerInfo[];
  /** The server that a name means, spelled as it is defined. */
  findServer(name: string): McpServerInfo | undefined;
  /** Connects where needed. Changed tools are listed apart: they are not to be offered. */
  tools(
    signal: AbortSignal,
    server?: string,
  ): Promise<{
    readonly tools: readonly McpTool[];
    readonly withheld: readonly McpTool[];
    readonly problems: readonly McpProblem[];
  }>;
  /** Every tool of the last listing, changed ones included, without waiting. */
  known(): readonly McpTool[];
  /** By any spelling: `mcp__server__tool`, `mcp_server_tool`, `server:tool`, a bare name that one server alone has. */
  resolve(name: string, signal: AbortSignal, server?: string): Promise<McpTool | ToolFailure>;
  /** A change counts as put before the policy once it was told here; only then can a cleared call agree to it. */
  facts(server: string, tool: string): McpToolFacts | undefined;
  /** Consent to the tool as it was shown; false when it is another one by now. */
  agreeToTool(server: string, tool: string, fingerprint: string): Promise<boolean>;
  /** The same for the definition of a withheld server. */
  agreeToServer(server: string, fingerprint: string): Promise<boolean>;
  call(call: McpCall): Promise<ToolOutcome>;
  resources(
    signal: AbortSignal,
    server?: string,
  ): Promise<{ readonly resources: readonly McpResource[]; readonly problems: readonly McpProblem[] }>;
  readResource(
    server: string,
    uri: string,
    signal: AbortSignal,
  ): Promise<{ readonly ok: true; readonly contents: readonly McpResourceContent[] } | ToolFailure>;
  prompts(
    signal: AbortSignal,
    server?: string,
  ): Promise<{ readonly prompts: readonly McpPrompt[]; readonly problems: readonly McpProblem[] }>;
  /** The messages of a prompt as text, one after the other. */
  getPrompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ToolOutcome>;
  /** Asks the user to sign in, and waits for it. */
  signIn(server: string, signal: AbortSignal): Promise<ToolOutcome>;
  close(): Promise<void>;
}

export function noSuchServer(name: string, known: readonly string[]): ToolFailure {
  const remedy =
    known.length === 0
      ? 'No MCP server is configured; the user can add one under `mcp.servers` in crosspoint.yaml.'
      : `The servers are: ${known.join(', ')}.`;
  return fail('ENOENT', `There is no MCP server named "${name}". ${remedy}`);
}

/** For runtimes without MCP: empty lists, and clear answers to everything else. */
export const NO_MCP: McpPort = {
  servers: () => [],
  findServer: () => undefined,
  tools: async () => ({ tools: [], withheld: [], problems: [] }),
  known: () => [],
  resolve: async (name, _signal, server) =>
    fail('UNKNOWN_TOOL', `There is no tool "${name}". ${noSuchServer(server ?? name, []).error.message}`),
  facts: () => undefined,
  agreeToTool: async () => false,
  agreeToServer: async () => false,
  call: async ({ server }) => noSuchServer(server, []),
  resources: async () => ({ resources: [], problems: [] }),
  readResource: async (server) => noSuchServer(server, []),
  prompts: async () => ({ prompts: [], problems: [] }),
  getPrompt: async (server) => noSuchServer(server, []),
  signIn: async (server) => noSuchServer(server, []),
  close: async () => undefined,
};

/** The runtime's MCP connections; whoever starts the runtime sets them. */
export const mcpPort = defineResource<McpPort>({
  name: 'mcp',
  create: () => NO_MCP,
  dispose: (port) => port.close(),
});
