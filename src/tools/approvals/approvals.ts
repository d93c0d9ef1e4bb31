import {
  GatewayError,
  type IdSource,
  invalidRequest,
  type JsonObject,
  omitUndefined,
} from '../../core/index.ts';
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
/** What is wrong with a reply, or undefined. */
export type CheckReply = (content: JsonObject) => string | undefined;

/** Answered and expired ones are kept this long for lists and for calls that come again after a restart. */
const KEEP_MS = 60 * 60 * 1000;

/** Pending calls as resources: requested by the runtime, answered from anywhere, denied when nobody does in time. */
export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #approvals = new Map<string, Approval>();
  readonly #waiters = new Map<string, Waiter[]>();
  readonly #timers = new Map<string, () => void>();
  readonly #checks = new Map<string, CheckReply>();
  readonly #listeners = new Set<(event: ApprovalEvent) => void>();
  #loading: Promise<void> | undefined;

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  /** Waits for the answer. A question that was asked before, also before a restart, is not asked twice. */
  async request(request: ApprovalRequest, signal?: AbortSignal, checkReply?: CheckReply): Promise<Approval> {
    await this.#load();
    const earlier = this.#find(request);
    const approval = earlier ?? (await this.#open(request, checkReply));
    if (approval.state !== 'pending') return approval;
    // From before a restart: whoever watches this process has not heard of it yet.
    if (earlier && !this.#waiters.has(earlier.id))
      this.#emit({ type: 'approval-requested', approval: earlier });
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
    this.#checkReply(approval, answer);
    const answered: Approval = {
      ...approval,
      state: 'answered',
      answer,
      answeredAtMs: this.#options.nowMs(),
    };
    await this.#settle(answered, 'approval-answered');
    return answered;
  }

  /** Where something is wanted to be known, a bare yes is no answer unless everything may be left out. */
  #checkReply({ id, form }: Approval, answer: ApprovalAnswer): void {
    if (answer.type !== 'reply' && answer.type !== 'once') return;
    if (!form) {
      if (answer.type === 'once') return;
      throw invalidRequest(`Approval ${id} takes no reply; answer once or deny.`, 'type');
    }
    const isQuestion = form.type === 'questions' || form.type === 'fields';
    if (answer.type === 'once' && !isQuestion) return;
    const problem = this.#checks.get(id)?.(answer.type === 'reply' ? answer.content : {});
    if (problem !== undefined)
      throw invalidRequest(`The reply to approval ${id} does not fit: ${problem}`, 'content');
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
      // A question belongs to a call in progress; the process that ran the call is gone, and nobody waits any more.
      const isOrphan = (approval.kind ?? 'call') !== 'call';
      if (isOrphan || (approval.state !== 'pending' && settledAt + KEEP_MS < now)) {
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

  async #open(request: ApprovalRequest, checkReply?: CheckReply): Promise<Approval> {
    const createdAtMs = this.#options.nowMs();
    const approval: Approval = omitUndefined({
      ...request,
      id: this.#options.newId('apr_'),
      createdAtMs,
      expiresAtMs: createdAtMs + this.#options.timeoutMs,
      state: 'pending' as const,
    });
    this.#approvals.set(approval.id, approval);
    if (checkReply) this.#checks.set(approval.id, checkReply);
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
    this.#checks.delete(approval.id);
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
