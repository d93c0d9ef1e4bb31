import { GatewayError, type IdSource, omitUndefined } from '../../core/index.ts';
import type { Approval, ApprovalAnswer, ApprovalEvent, ApprovalRequest, ApprovalStore } from './approval.ts';

export interface ApprovalsOptions {
  readonly store: ApprovalStore;
  readonly timeoutMs: number;
  readonly nowMs: () => number;
  readonly newId: IdSource;
  /** Calls back later and gives a way to call it off; a parameter so that tests own the time. */
  readonly schedule?: (delayMs: number, callback: () => void) => () => void;
}

type Waiter = (approval: Approval) => void;

/** Answered and expired ones are kept this long for lists and for calls that come again after a restart. */
const KEEP_MS = 60 * 60 * 1000;

/** Pending calls as resources: requested by the runtime, answered from anywhere, denied when nobody does in time. */
export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #approvals = new Map<string, Approval>();
  readonly #waiters = new Map<string, Waiter[]>();
  readonly #timers = new Map<string, () => void>();
  readonly #listeners = new Set<(event: ApprovalEvent) => void>();
  #loading: Promise<void> | undefined;

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  /** Waits for the answer. A question that was asked before, also before a restart, is not asked twice. */
  async request(request: ApprovalRequest, signal?: AbortSignal): Promise<Approval> {
    await this.#load();
    const earlier = this.#find(request);
    const approval = earlier ?? (await this.#open(request));
    if (approval.state !== 'pending') return approval;
    return this.#wait(approval.id, signal);
  }

  /** An answer is for one run; the runtime takes it away when it starts that run. */
  async consume(id: string): Promise<void> {
    this.#approvals.delete(id);
    await this.#options.store.remove(id);
  }

  async list(state?: Approval['state']): Promise<readonly Approval[]> {
    await this.#load();
    const all = [...this.#approvals.values()].sort((left, right) => left.createdAtMs - right.createdAtMs);
    return state === undefined ? all : all.filter((approval) => approval.state === state);
  }

  async get(id: string): Promise<Approval | undefined> {
    await this.#load();
    return this.#approvals.get(id);
  }

  /** Throws when there is nothing to answer: unknown, answered before, or too late. */
  async answer(id: string, answer: ApprovalAnswer): Promise<Approval> {
    await this.#load();
    const approval = this.#approvals.get(id);
    if (!approval)
      throw new GatewayError('not-found', `There is no approval ${id}; list the pending ones first.`);
    if (approval.state === 'pending' && approval.expiresAtMs <= this.#options.nowMs()) await this.#expire(id);
    const { state } = this.#approvals.get(id) ?? approval;
    if (state !== 'pending') {
      throw new GatewayError('conflict', `Approval ${id} is ${state} and cannot be answered any more.`);
    }
    if (answer.type === 'always' && !approval.alwaysRule) {
      throw new GatewayError(
        'invalid-request',
        `Approval ${id} cannot be answered with always; answer once or deny.`,
      );
    }
    const answered: Approval = {
      ...approval,
      state: 'answered',
      answer,
      answeredAtMs: this.#options.nowMs(),
    };
    await this.#settle(answered, 'approval-answered');
    return answered;
  }

  subscribe(listener: (event: ApprovalEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stops the timers; what is pending stays in the store for the next start. */
  close(): void {
    for (const stop of this.#timers.values()) stop();
    this.#timers.clear();
    this.#listeners.clear();
  }

  #load(): Promise<void> {
    this.#loading ??= this.#loadOnce();
    return this.#loading;
  }

  async #loadOnce(): Promise<void> {
    const now = this.#options.nowMs();
    for (const approval of await this.#options.store.load()) {
      const settledAt = approval.answeredAtMs ?? approval.expiresAtMs;
      if (approval.state !== 'pending' && settledAt + KEEP_MS < now) {
        await this.#options.store.remove(approval.id);
        continue;
      }
      this.#approvals.set(approval.id, approval);
      if (approval.state === 'pending') this.#setTimer(approval);
    }
  }

  #find(request: ApprovalRequest): Approval | undefined {
    const usable = (approval: Approval) => approval.state === 'pending' || approval.state === 'answered';
    for (const approval of this.#approvals.values()) {
      const isSame = approval.callId === request.callId && approval.fingerprint === request.fingerprint;
      if (isSame && usable(approval)) return approval;
    }
    return undefined;
  }

  async #open(request: ApprovalRequest): Promise<Approval> {
    const createdAtMs = this.#options.nowMs();
    const approval: Approval = omitUndefined({
      ...request,
      id: this.#options.newId('apr_'),
      createdAtMs,
      expiresAtMs: createdAtMs + this.#options.timeoutMs,
      state: 'pending' as const,
    });
    this.#approvals.set(approval.id, approval);
    this.#setTimer(approval);
    await this.#options.store.save(approval);
    this.#emit({ type: 'approval-requested', approval });
    // A listener may have answered while it was told.
    return this.#approvals.get(approval.id) ?? approval;
  }

  #wait(id: string, signal: AbortSignal | undefined): Promise<Approval> {
    return new Promise((resolve) => {
      const onAbort = () => inBackground(this.#cancel(id));
      const finish = (approval: Approval) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(approval);
      };
      this.#waiters.set(id, [...(this.#waiters.get(id) ?? []), finish]);
      if (signal?.aborted) onAbort();
      else signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #setTimer(approval: Approval): void {
    const schedule = this.#options.schedule ?? scheduleWithTimer;
    const delayMs = Math.max(0, approval.expiresAtMs - this.#options.nowMs());
    this.#timers.set(
      approval.id,
      schedule(delayMs, () => inBackground(this.#expire(approval.id))),
    );
  }

  async #expire(id: string): Promise<void> {
    const approval = this.#approvals.get(id);
    if (approval?.state === 'pending')
      await this.#settle({ ...approval, state: 'expired' }, 'approval-expired');
  }

  async #cancel(id: string): Promise<void> {
    const approval = this.#approvals.get(id);
    if (approval?.state === 'pending')
      await this.#settle({ ...approval, state: 'cancelled' }, 'approval-cancelled');
  }

  /** In memory first, so that a second answer that arrives meanwhile is refused. */
  async #settle(
    approval: Approval,
    type: Exclude<ApprovalEvent['type'], 'approval-requested'>,
  ): Promise<void> {
    this.#approvals.set(approval.id, approval);
    this.#timers.get(approval.id)?.();
    this.#timers.delete(approval.id);
    try {
      await this.#options.store.save(approval);
    } finally {
      // Whoever waits is told even when the store fails: the answer was given.
      const waiters = this.#waiters.get(approval.id) ?? [];
      this.#waiters.delete(approval.id);
      this.#emit({ type, approval });
      for (const waiter of waiters) waiter(approval);
    }
  }

  #emit(event: ApprovalEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch {
        // Whoever watches must not be able to hold up an answer.
      }
    }
  }
}

/** Nobody waits for these; a store that fails here has already failed whoever asked first. */
function inBackground(work: Promise<void>): void {
  work.catch(() => undefined);
}

function scheduleWithTimer(delayMs: number, callback: () => void): () => void {
  // A longer delay than the timer holds is waited for in pieces by whoever asks again; seven days fit.
  const timer = setTimeout(callback, Math.min(delayMs, 2_147_483_647));
  timer.unref();
  return () => clearTimeout(timer);
}
