import { realpathSync } from 'node:fs';
import { Policy } from './policy.ts';
import { policyFiles } from './policy-files.ts';
import type { PolicyConfig, RuleConfig } from './policy-schema.ts';
import { RememberedRules } from './remembered-rules.ts';
import { readWorkspaceRules, type WorkspaceRules } from './workspace-rules.ts';
import { WorkspaceTrust } from './workspace-trust.ts';

export interface OpenPolicyOptions {
  /** The section of the user's configuration. */
  readonly user: PolicyConfig;
  readonly workspace: string;
  /** Where this program keeps what it must remember. */
  readonly stateHome: string;
  readonly homeFolder: string;
}

export interface OpenPolicy {
  readonly policy: Policy;
  /** The workspace with every link followed. */
  readonly workspace: string;
  readonly remembered: RememberedRules;
  /** Answers of "always" that were kept for this workspace; none of them counts under an administrator's lock. */
  readonly rememberedRules: readonly RuleConfig[];
  readonly workspaceRules: WorkspaceRules | undefined;
  /** The user lets files of this workspace name MCP servers, and rules that allow. */
  readonly isTrusted: boolean;
  /** The rules of the repository are not the ones that were trusted; until they are, they only restrict. */
  readonly hasChangedRules: boolean;
}

/** Everything that has a say in one workspace, put together: configuration, repository, trust, answers of "always". */
export async function openPolicy(options: OpenPolicyOptions): Promise<OpenPolicy> {
  const { user, stateHome, homeFolder } = options;
  const workspace = realpathSync(options.workspace);
  const files = policyFiles(stateHome);
  const trusted = await new WorkspaceTrust(files.trust).find(workspace);
  const workspaceRules = await readWorkspaceRules(workspace);
  const hasChangedRules =
    trusted !== undefined && workspaceRules !== undefined && trusted.rules !== workspaceRules.fingerprint;
  const ofWorkspace = workspaceRules && {
    policy: workspaceRules.policy,
    isTrusted: trusted !== undefined && !hasChangedRules,
  };
  const policy = new Policy({ user, ...(ofWorkspace && { workspace: ofWorkspace }) }, { homeFolder });
  const remembered = new RememberedRules(files.rules);
  const rememberedRules = await remembered.list(workspace);
  for (const rule of rememberedRules) policy.remember(rule);
  return {
    policy,
    workspace,
    remembered,
    rememberedRules,
    workspaceRules,
    isTrusted: trusted !== undefined,
    hasChangedRules,
  };
}
