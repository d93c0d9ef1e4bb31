export { decide, type McpFacts, type PolicyCall, type PolicyContext } from './decide.ts';
export { deriveRule } from './derive-rule.ts';
export { createDenials, type Denials, type DistantCall } from './find-denial.ts';
export { type OpenPolicy, type OpenPolicyOptions, openPolicy } from './open-policy.ts';
export { Policy, type PolicyLayers, type PolicyOptions, toAutoRunControls } from './policy.ts';
export { policyFiles } from './policy-files.ts';
export {
  type AutoRunControls,
  autoRunControlsSchema,
  defaultPolicy,
  type PolicyConfig,
  type Protections,
  policySchema,
  type RuleConfig,
  ruleSchema,
  SETTINGS,
  type Setting,
} from './policy-schema.ts';
export { findReadDenials, type ReadDenials } from './read-denials.ts';
export { readPolicySection } from './read-policy.ts';
export { RememberedRules } from './remembered-rules.ts';
export type { Decision, Verdict } from './verdict.ts';
export { readWorkspaceRules, WORKSPACE_RULES, type WorkspaceRules } from './workspace-rules.ts';
export { type TrustedWorkspace, WorkspaceTrust } from './workspace-trust.ts';
