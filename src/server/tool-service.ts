// The tool runtime as the gateway hosts it: one workspace, one policy, approvals that survive a restart. Loaded only
// when the first call comes, since most gateways never run a tool.
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { randomId } from '../core/index.ts';
import { Approvals, createFolderApprovalStore } from '../tools/approvals/index.ts';
import { Policy, readPolicySection } from '../tools/policy/index.ts';
import { createToolRuntime, type ToolRuntime } from '../tools/runtime.ts';
import { scrubEnv } from '../tools/scrub-env.ts';
import { Workspace } from '../tools/workspace.ts';

export interface ToolServiceOptions {
  /** The folder whose files the tools work on. */
  readonly workspace: string;
  readonly stateHome: string;
  /** The configuration's `policy` section. */
  readonly policy: unknown;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ToolService {
  readonly runtime: ToolRuntime;
  readonly approvals: Approvals;
  close(): Promise<void>;
}

export async function openToolService(options: ToolServiceOptions): Promise<ToolService> {
  const { BUILTIN_TOOLS, chooseTool } = await import('../tools/registry.ts');
  const stateFolder = path.join(options.stateHome, 'tools');
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  const user = readPolicySection(options.policy);
  const approvals = new Approvals({
    store: createFolderApprovalStore(path.join(stateFolder, 'approvals')),
    timeoutMs: user.approvalTimeoutMs,
    nowMs: Date.now,
    newId: randomId,
  });
  const runtime = createToolRuntime({
    workspace: new Workspace(options.workspace),
    tools: BUILTIN_TOOLS,
    choose: chooseTool,
    policy: new Policy({ user }, { homeFolder: homedir() }),
    approvals,
    mode: 'agent',
    stateFolder,
    env: scrubEnv(options.env),
  });
  return { runtime, approvals, close: () => runtime.close() };
}
