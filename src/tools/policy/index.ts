export { decide, type McpFacts, type PolicyCall, type PolicyContext } from './decide.ts';
export { deriveRule } from './derive-rule.ts';
export { Policy, type PolicyLayers, type PolicyOptions, toAutoRunControls } from './policy.ts';
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
export { readPolicySection } from './read-policy.ts';
export type { Decision, Verdict } from './verdict.ts';
