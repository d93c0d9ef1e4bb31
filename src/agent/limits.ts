import {
  addUsage,
  invalidRequest,
  NO_USAGE,
  type RunEndReason,
  type RunLimits,
  type Usage,
} from '../core/index.ts';
import { nameModel } from './name-model.ts';

export const DEFAULT_MAX_STEPS = 200;

/** Per million tokens, in one currency. Cache prices default to the input price. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface LimitHit {
  readonly reason: Extract<RunEndReason, 'step-limit' | 'time-limit' | 'token-limit' | 'spend-limit'>;
  readonly explanation: string;
}

export interface BudgetOptions {
  readonly limits: RunLimits;
  readonly nowMs: () => number;
  readonly pricesOf: (model: string) => TokenPrices | undefined;
}

/** What a run and everything it starts may use up together, and what is used already. */
export class RunBudget {
  readonly #options: BudgetOptions;
  readonly #startedAtMs: number;
  #steps = 0;
  #usage = NO_USAGE;
  #spend = 0;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#startedAtMs = options.nowMs();
    for (const [name, value] of Object.entries(options.limits)) {
      if (value !== undefined && !(value >= 0)) {
        throw invalidRequest(`The limit ${name} is ${value}; give a number of 0 or more, or leave it out.`);
      }
    }
  }

  get maxMs(): number | undefined {
    return this.#options.limits.maxMs;
  }

  /** A bound in money that cannot be watched is refused, not ignored. */
  requirePrices(model: string): void {
    const { maxSpend } = this.#options.limits;
    if (maxSpend === undefined || this.#options.pricesOf(model)) return;
    throw invalidRequest(
      `The run may spend ${maxSpend}, but no price of ${nameModel(model)} is known. Give its prices, or bound the run by tokens (maxTokens).`,
    );
  }

  countStep(): void {
    this.#steps++;
  }

  countUsage(usage: Usage, model: string): void {
    this.#usage = addUsage(this.#usage, usage);
    const prices = this.#options.pricesOf(model);
    if (prices) this.#spend += priceOf(usage, prices);
  }

  /** The first bound that allows no further turn. */
  findHit(): LimitHit | undefined {
    const { maxSteps = DEFAULT_MAX_STEPS, maxMs, maxTokens, maxSpend } = this.#options.limits;
    if (this.#steps >= maxSteps) {
      return {
        reason: 'step-limit',
        explanation: `The run has made ${this.#steps} steps and may make ${maxSteps}. Continue it with a new message, or raise maxSteps.`,
      };
    }
    if (maxMs !== undefined && this.#options.nowMs() - this.#startedAtMs >= maxMs) return this.timeHit();
    if (maxTokens !== undefined && this.#usage.totalTokens >= maxTokens) {
      const about = this.#usage.estimated ? 'about ' : '';
      return {
        reason: 'token-limit',
        explanation: `The run has used ${about}${this.#usage.totalTokens} tokens and may use ${maxTokens}. Continue it with a new message, or raise maxTokens.`,
      };
    }
    if (maxSpend !== undefined && this.#spend >= maxSpend) {
      return {
        reason: 'spend-limit',
        explanation: `The run has spent ${round(this.#spend)} and may spend ${maxSpend}. Continue it with a new message, or raise maxSpend.`,
      };
    }
    return undefined;
  }

  timeHit(): LimitHit {
    return {
      reason: 'time-limit',
      explanation: `The run was given ${this.#options.limits.maxMs} ms, and they are over. Continue it with a new message, or raise maxMs.`,
    };
  }
}

function priceOf(usage: Usage, prices: TokenPrices): number {
  const { cacheReadTokens: read = 0, cacheWriteTokens: written = 0 } = usage;
  const plain = Math.max(0, usage.inputTokens - read - written);
  const sum =
    plain * prices.input +
    read * (prices.cacheRead ?? prices.input) +
    written * (prices.cacheWrite ?? prices.input) +
    usage.outputTokens * prices.output;
  return sum / 1_000_000;
}

function round(amount: number): number {
  return Number(amount.toPrecision(4));
}
