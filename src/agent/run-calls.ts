import type {
  AgentCall,
  AgentEvent,
  CallContext,
  CallProgress,
  CallResult,
  Parallel,
} from '../core/index.ts';
import { EventQueue } from './event-queue.ts';
import { unlessAborted } from './unless-aborted.ts';

/** How many calls of one tool run together when their class is `few`. */
export const FEW = 5;

export interface RunCallsOptions {
  readonly calls: readonly AgentCall[];
  /** An answer for a call that cannot be run; it never reaches the tools. */
  readonly findProblem: (call: AgentCall) => CallResult | undefined;
  readonly parallelOf: (call: AgentCall) => Parallel;
  readonly run: (call: AgentCall, context: Pick<CallContext, 'signal' | 'onProgress'>) => Promise<CallResult>;
  readonly signal: AbortSignal;
}

interface Entry {
  readonly call: AgentCall;
  readonly problem: CallResult | undefined;
  readonly parallel: Parallel;
  state: 'waiting' | 'running' | 'settled';
}

/**
 * Runs the calls of one round, side by side as far as their classes allow, and returns their results in the order of
 * the calls. A tool that rejects ends the round: the other calls are aborted and the rejection is thrown.
 */
export async function* runCalls(
  options: RunCallsOptions,
): AsyncGenerator<AgentEvent, readonly CallResult[], undefined> {
  const round = new Round(options);
  try {
    round.startReady();
    for (;;) {
      options.signal.throwIfAborted();
      round.throwIfFailed();
      const event = round.events.shift();
      if (event) yield event;
      else if (round.isSettled) return round.results();
      else await unlessAborted(round.events.arrival(), options.signal);
    }
  } finally {
    round.leave();
  }
}

class Round {
  readonly events = new EventQueue();
  readonly #options: RunCallsOptions;
  readonly #entries: readonly Entry[];
  readonly #results: (CallResult | undefined)[];
  readonly #controller = new AbortController();
  #failure: { readonly thrown: unknown } | undefined;

  constructor(options: RunCallsOptions) {
    this.#options = options;
    this.#entries = options.calls.map((call) => {
      const problem = options.findProblem(call);
      // Nothing runs for a call with a problem, so it holds nobody up.
      return { call, problem, parallel: problem ? 'any' : options.parallelOf(call), state: 'waiting' };
    });
    this.#results = options.calls.map(() => undefined);
  }

  get isSettled(): boolean {
    return this.#entries.every(({ state }) => state === 'settled');
  }

  results(): readonly CallResult[] {
    return this.#results.flatMap((result) => result ?? []);
  }

  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.thrown;
  }

  /** A round that is over leaves its tools alone: something in the background may live on. */
  leave(): void {
    if (!this.isSettled) this.#controller.abort(this.#options.signal.reason);
  }

  startReady(): void {
    for (const [index, entry] of this.#entries.entries()) {
      if (this.#failure || this.#options.signal.aborted || this.#controller.signal.aborted) return;
      if (entry.state === 'waiting' && this.#mayStart(entry, index)) this.#start(entry, index);
      if (entry.parallel === 'alone' && entry.state !== 'settled') return;
    }
  }

  #mayStart(entry: Entry, index: number): boolean {
    if (entry.parallel === 'any') return true;
    if (entry.parallel === 'alone') {
      return this.#entries.slice(0, index).every(({ state }) => state === 'settled');
    }
    const alike = this.#entries.filter(
      ({ call, parallel, state }) =>
        parallel === 'few' && state === 'running' && call.name === entry.call.name,
    );
    return alike.length < FEW;
  }

  #start(entry: Entry, index: number): void {
    const { call, problem } = entry;
    entry.state = 'running';
    this.events.push({ type: 'call-start', call });
    if (problem) {
      this.#settle(entry, index, problem);
      return;
    }
    const onProgress = (progress: CallProgress) => {
      // A tool may go on talking after its answer; nobody expects it any more.
      if (entry.state === 'running') this.events.progress(call.callId, progress);
    };
    // One signal for each call: the platform warns of many listeners on the same one.
    const signal = AbortSignal.any([this.#options.signal, this.#controller.signal]);
    // A port that throws instead of rejecting is treated alike.
    new Promise<CallResult>((resolve) => {
      resolve(this.#options.run(call, { signal, onProgress }));
    }).then(
      (result) => {
        this.#settle(entry, index, result);
        this.startReady();
      },
      (thrown: unknown) => {
        entry.state = 'settled';
        this.#failure ??= { thrown };
        this.events.wake();
      },
    );
  }

  #settle(entry: Entry, index: number, result: CallResult): void {
    entry.state = 'settled';
    this.#results[index] = result;
    this.events.push({ type: 'call-end', call: entry.call, result });
  }
}
