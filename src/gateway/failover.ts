import { GatewayError } from '../core/index.ts';
import type { EventBatch } from '../dialects/dialect.ts';
import type { ModelTarget } from './model-router.ts';

export interface RetryPolicy {
  /** Further tries at the same target after a passing fault. */
  readonly retries: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { retries: 2, baseDelayMs: 250, maxDelayMs: 20_000 };

export interface OpenedTurn {
  readonly target: ModelTarget;
  readonly first: EventBatch;
  readonly rest: AsyncIterator<EventBatch>;
  readonly attempts: number;
}

export interface OpenOptions {
  readonly targets: readonly ModelTarget[];
  readonly open: (target: ModelTarget) => AsyncIterable<EventBatch>;
  readonly policyOf: (target: ModelTarget) => RetryPolicy;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly onAttempt?: (target: ModelTarget, error: GatewayError | undefined) => void;
}

/**
 * Opens a turn at the first target that answers. Everything here happens before the first byte: once a batch
 * has arrived the turn is that target's, and its failures are the client's to see.
 */
export async function openWithFailover(options: OpenOptions): Promise<OpenedTurn> {
  let attempts = 0;
  let lastError: GatewayError | undefined;
  for (const target of options.targets) {
    const policy = options.policyOf(target);
    for (let attempt = 0; attempt <= policy.retries; attempt++) {
      attempts++;
      try {
        const opened = await openOnce(options.open(target));
        options.onAttempt?.(target, undefined);
        return { target, ...opened, attempts };
      } catch (thrown) {
        lastError = GatewayError.from(thrown);
        options.onAttempt?.(target, lastError);
      }
      if (isFinal(lastError)) throw lastError;
      const delayMs = retryDelay(lastError, attempt, policy, options.random);
      if (delayMs === undefined || attempt === policy.retries) break;
      await options.sleep(delayMs, options.signal);
    }
  }
  throw lastError ?? new GatewayError('internal', 'No target was given.');
}

async function openOnce(
  batches: AsyncIterable<EventBatch>,
): Promise<{ first: EventBatch; rest: AsyncIterator<EventBatch> }> {
  const rest = batches[Symbol.asyncIterator]();
  const first = await rest.next();
  if (first.done) {
    throw new GatewayError('upstream-malformed', 'The upstream ended the turn without answering anything.');
  }
  return { first: first.value, rest };
}

/** Faults of the request itself: another target would refuse it as well, or must not be bothered with it. */
function isFinal(error: GatewayError): boolean {
  switch (error.code) {
    case 'invalid-request':
    case 'too-large':
    case 'content-filtered':
    case 'cancelled':
    case 'unimplemented':
    case 'internal':
      return true;
    case 'upstream-rejected': {
      const status = error.detail?.upstreamStatus;
      return status === 400 || status === 422;
    }
    default:
      return false;
  }
}

/** How long to wait before the same target is tried again, or undefined when that is pointless. */
function retryDelay(
  error: GatewayError,
  attempt: number,
  policy: RetryPolicy,
  random: () => number,
): number | undefined {
  if (!error.retryable || error.code === 'deadline-exceeded') return undefined;
  if (error.retryAfterMs !== undefined) {
    return error.retryAfterMs <= policy.maxDelayMs ? error.retryAfterMs : undefined;
  }
  const ceiling = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** attempt);
  return ceiling * (0.5 + random() / 2);
}
