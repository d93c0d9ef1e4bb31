import type { GatewayError, Usage } from '../core/index.ts';
import type { CallIds } from './call-ids.ts';
import type { RunBudget } from './limits.ts';

/** What a run shares with the runs that its calls start. */
export interface RunTree {
  readonly budget: RunBudget;
  readonly ids: CallIds;
  /** Set when the tools could not be reached: that ends the whole tree, not only the run that noticed. */
  readonly lost: { cause?: GatewayError };
  /** Tells the run above what was used; absent at the top. */
  readonly onUsage?: (usage: Usage) => void;
}
