import type { IdSource } from '../../core/index.ts';
import type { Approvals } from '../approvals/index.ts';
import type { FeatureGates } from '../modes.ts';
import type { Policy, RuleConfig } from '../policy/index.ts';
import type { Resources } from '../resources.ts';
import type { Mode, Tool } from '../tool.ts';
import type { Attachments } from '../tool-outcome.ts';
import type { Workspace } from '../workspace.ts';
import type { CallLedger } from './call-ledger.ts';
import type { ChooseTool } from './find-tool.ts';
import type { McpPort } from './mcp-port.ts';

export interface ToolRuntimeOptions {
  readonly workspace: Workspace;
  readonly tools: readonly Tool[];
  readonly policy: Policy;
  readonly approvals: Approvals;
  readonly mode: Mode;
  readonly stateFolder: string;
  readonly gates?: FeatureGates;
  readonly mcp?: McpPort;
  readonly resources?: Resources;
  /** For processes; must already be free of secrets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Keeps calls that change things from running twice through restarts; one for each conversation. */
  readonly ledger?: CallLedger;
  /** Tells tools that share a number apart, e.g. the kinds of edit. */
  readonly choose?: ChooseTool;
  /** Called with the rule of every "always", so that it can be kept beyond this run. */
  readonly onRule?: (rule: RuleConfig) => void | Promise<void>;
  /** What to tell the model after a call of this tool went well, e.g. about its list of to-dos. */
  readonly remind?: (tool: Tool) => Attachments['todo_reminder'];
  /** Where tokens, rules and trust are kept: no rule opens it to a tool, a person is asked each time. */
  readonly ownFolder?: string;
  readonly discoveryBudget?: number;
  readonly maxContentCharacters?: number;
  /** How long a cancelled tool may take to put things in order. */
  readonly cancelGraceMs?: number;
  readonly nowMs?: () => number;
  readonly newId?: IdSource;
}
