import { type AgentEvent, GatewayError, NO_USAGE } from '../core/index.ts';
import { AgentRun } from './agent-run.ts';
import { CallIds } from './call-ids.ts';
import { RunBudget } from './limits.ts';
import { type RunAgentOptions, systemTimer } from './run-options.ts';
import type { RunTree } from './run-tree.ts';

/**
 * Runs a task until the model stops asking for tools. The last event is `run-end` or `run-error`, whatever happens;
 * nothing is thrown. The run goes on only as fast as its reader asks, and a reader that leaves cancels it.
 */
export function runAgent(options: RunAgentOptions): AsyncIterableIterator<AgentEvent> {
  return startRun(options);
}

function startRun(options: RunAgentOptions, tree?: RunTree): AsyncIterableIterator<AgentEvent> {
  const leaving = new AbortController();
  const timeUp = new AbortController();
  let hasEnded = false;

  async function* events(): AsyncGenerator<AgentEvent, void, undefined> {
    const signal = AbortSignal.any([options.signal, leaving.signal, timeUp.signal]);
    let run: AgentRun | undefined;
    let budget: RunBudget | undefined;
    let stopTimer: (() => void) | undefined;
    try {
      budget = tree?.budget ?? openBudget(options);
      if (!tree && budget.maxMs !== undefined) {
        const timer = options.timer ?? systemTimer;
        stopTimer = timer(budget.maxMs, () => timeUp.abort());
      }
      const ownTree = tree ?? { budget, ids: new CallIds(options.newId), lost: {} };
      run = new AgentRun({ ...options, signal, tree: ownTree, startRun });
      const end = yield* run.steps();
      hasEnded = true;
      yield end;
    } catch (thrown) {
      hasEnded = true;
      const usage = run?.usage ?? NO_USAGE;
      const error = GatewayError.from(thrown);
      if (timeUp.signal.aborted && !options.signal.aborted && budget) {
        yield { type: 'run-end', ...budget.timeHit(), usage };
      } else if (signal.aborted || error.code === 'cancelled') {
        yield { type: 'run-end', reason: 'cancelled', usage, explanation: explainCancel(signal, error) };
      } else yield { type: 'run-error', error, usage };
    } finally {
      stopTimer?.();
    }
  }

  const running = events();
  return {
    next: () => running.next(),
    return: async () => {
      // A run that has ended is left alone: what its tools started in the background may go on.
      if (!hasEnded) leaving.abort(new GatewayError('cancelled', 'The reader left the run.'));
      await running.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function openBudget({ task, nowMs, prices = () => undefined }: RunAgentOptions): RunBudget {
  return new RunBudget({ limits: task.limits ?? {}, nowMs, pricesOf: prices });
}

function explainCancel(signal: AbortSignal, error: GatewayError): string {
  const reason: unknown = signal.aborted ? signal.reason : error;
  return reason instanceof GatewayError ? reason.message : 'The run was cancelled.';
}
