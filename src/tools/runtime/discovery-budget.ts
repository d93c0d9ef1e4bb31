import type { Risk } from '../tool.ts';
import type { Attachments } from '../tool-outcome.ts';

const DEFAULT_BUDGET = 50;
const WARN_AT = 0.8;

/** Counts how long a model has only been looking around; doing something starts the count anew. */
export class DiscoveryBudget {
  readonly #budget: number;
  #used = 0;

  constructor(budget = DEFAULT_BUDGET) {
    this.#budget = budget;
  }

  /**
   * Notes one finished call and gives the attachments that belong to its result, if any: in words for models, and in the
   * fields of `ToolResultAttachments.DiscoveryBudgetReminder` for clients.
   */
  attach(risk: Risk): Attachments {
    if (risk !== 'read') {
      if (risk === 'write' || risk === 'execute') this.#used = 0;
      return {};
    }
    this.#used += 1;
    if (this.#used < this.#budget * WARN_AT) return {};
    const percent = Math.round((this.#used / this.#budget) * 100);
    return {
      todo_reminder: { type: 'DISCOVERY_BUDGET', message: `You've used ${percent}% of your search budget` },
      discovery_budget_reminder: { discovery_rounds_remaining: Math.max(0, this.#budget - this.#used) },
    };
  }
}
