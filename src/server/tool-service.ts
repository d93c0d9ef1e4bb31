// The tool runtime as the gateway hosts it: one workspace, one policy, MCP servers, and people who answer from wherever
// they are. Loaded only when the first call comes, since most gateways never run a tool.
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { omitUndefined, randomId } from '../core/index.ts';
import { runtimeMcp } from '../mcp/index.ts';
import { Approvals, createFolderApprovalStore } from '../tools/approvals/index.ts';
import {
  modePort,
  type SubAgentPort,
  subAgentPort,
  todoList,
  userPort,
} from '../tools/builtin/planning/index.ts';
import { webFetch } from '../tools/builtin/web/web-fetch.ts';
import type { ToolDeclaration } from '../tools/declare-tools.ts';
import { type McpPort, mcpPort } from '../tools/mcp-port.ts';
import { decide, type OpenPolicy, openPolicy } from '../tools/policy/index.ts';
import { Resources } from '../tools/resources.ts';
import { createFolderLedger } from '../tools/runtime/call-ledger.ts';
import { createToolRuntime, type ToolRuntime } from '../tools/runtime.ts';
import { sandboxSettings } from '../tools/sandbox/index.ts';
import { scrubEnv } from '../tools/scrub-env.ts';
import type { Tool } from '../tools/tool.ts';
import { Workspace } from '../tools/workspace.ts';
import { createApprovalElicit } from './tool-service/approval-elicit.ts';
import { createApprovalSignIn } from './tool-service/approval-sign-in.ts';
import { createApprovalUser } from './tool-service/approval-user.ts';
import { CallsInFlight } from './tool-service/calls-in-flight.ts';
import { HostedMcp } from './tool-service/hosted-mcp.ts';
import { openMcp } from './tool-service/open-mcp.ts';
import { readToolSections } from './tool-service/read-tool-sections.ts';
import { setToolServices } from './tool-service/set-tool-services.ts';

export interface ToolServiceOptions {
  /** The folder whose files the tools work on. */
  readonly workspace: string;
  readonly stateHome: string;
  /** The sections of the configuration, as they stand there. */
  readonly policy?: Record<string, unknown> | undefined;
  readonly tools?: Record<string, unknown> | undefined;
  readonly mcp?: Record<string, unknown> | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version?: string;
  /** Runs sub-agents; without it the tools that start them say that there is none. */
  readonly subAgents?: SubAgentPort;
  /** The user's; other clients' MCP files are looked for there. */
  readonly homeFolder?: string;
}

export interface ToolService {
  readonly runtime: ToolRuntime;
  readonly approvals: Approvals;
  readonly policy: OpenPolicy;
  readonly mcp: McpPort;
  /** About MCP files of other clients that could not be used. */
  readonly problems: readonly string[];
  /** What a client would tell a model's server, the MCP servers asked just now. */
  declare(signal: AbortSignal): Promise<ToolDeclaration>;
  /** Ends every call, program and connection. */
  close(): Promise<void>;
}

export async function openToolService(options: ToolServiceOptions): Promise<ToolService> {
  const { BUILTIN_TOOLS, chooseTool } = await import('../tools/registry.ts');
  const { stateHome, env, homeFolder = env.HOME || homedir() } = options;
  const sections = readToolSections(options);
  const { limits, gates } = sections.tools;
  const stateFolder = path.join(stateHome, 'tools');
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  const workspace = new Workspace(options.workspace);
  const opened = await openPolicy({
    user: sections.policy,
    workspace: workspace.root,
    stateHome,
    homeFolder,
  });
  const { policy } = opened;

  const approvals = new Approvals({
    // Not where tools may read: what one conversation asks is not another's business.
    store: createFolderApprovalStore(path.join(stateHome, 'approvals')),
    timeoutMs: sections.policy.approvalTimeoutMs,
    nowMs: Date.now,
    newId: randomId,
  });
  const calls = new CallsInFlight();
  const { hub, problems } = await openMcp(
    omitUndefined({
      config: sections.mcp,
      workspace: opened.workspace,
      isTrusted: opened.isTrusted,
      stateHome,
      homeFolder,
      env,
      version: options.version,
      elicit: createApprovalElicit(approvals, calls),
      signIn: createApprovalSignIn(approvals),
    }),
  );
  const mcp = new HostedMcp(hub, approvals, calls);

  const resources = new Resources();
  const world = { policy, workspace, stateFolder, ownFolder: stateHome };
  setToolServices(resources, sections.tools, async (url) => {
    const verdict = await decide({ tool: webFetch, touches: [{ type: 'host', url }] }, world);
    // What would have to be asked for is told to the model instead, which may call with that address.
    return verdict.decision === 'allow';
  });
  // Tokens, rules and other conversations' calls: no command has business there.
  resources.set(sandboxSettings, { ...resources.get(sandboxSettings), hidden: [stateHome] });
  resources.set(mcpPort, mcp);
  resources.set(userPort, createApprovalUser(approvals));
  resources.set(modePort, { switchTo: (mode) => runtime.switchMode(mode) });
  if (options.subAgents) resources.set(subAgentPort, options.subAgents);

  const runtime: ToolRuntime = createToolRuntime({
    workspace,
    tools: BUILTIN_TOOLS,
    choose: chooseTool,
    policy,
    approvals,
    mode: 'agent',
    gates,
    stateFolder,
    ownFolder: stateHome,
    env: scrubEnv(env),
    resources,
    mcp: runtimeMcp(mcp, { asksForNew: sections.mcp.consent === 'first-use' }),
    ledger: createFolderLedger(path.join(stateHome, 'calls', folderName(opened.workspace))),
    onRule: (rule) => opened.remembered.keep(opened.workspace, rule, Date.now()),
    remind: (tool) => remindOfTodos(resources, tool),
    maxContentCharacters: limits.maxContentCharacters,
    discoveryBudget: limits.searchBudget,
  });
  return {
    runtime,
    approvals,
    policy: opened,
    mcp,
    problems,
    declare: async (signal) => {
      await mcp.tools(signal);
      return runtime.declare();
    },
    close: async () => {
      await runtime.close();
      approvals.close();
    },
  };
}

/** The tools of the list itself know best what to say about it. */
const TODO_TOOLS: ReadonlySet<number> = new Set([34, 35]);

function remindOfTodos(resources: Resources, tool: Tool) {
  if (TODO_TOOLS.has(tool.number)) return undefined;
  return resources.get(todoList).afterCall({ isEdit: tool.risk === 'write' });
}

/** Paths are too long and too odd for file names. */
function folderName(workspace: string): string {
  return createHash('sha256').update(workspace).digest('hex').slice(0, 24);
}
