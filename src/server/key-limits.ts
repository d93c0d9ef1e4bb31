import { GatewayError } from '../core/index.ts';
import type { Clock } from '../store/ports.ts';

export interface LimitedKey {
  readonly keyId?: string | undefined;
  readonly requestsPerMinute?: number | undefined;
  readonly maxConcurrent?: number | undefined;
}

export interface KeyLimits {
  /** Takes one place and one token, or throws `rate-limited`. Call the result once the request is done. */
  enter(key: LimitedKey): () => void;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
  running: number;
}

const MINUTE_MS = 60_000;
/** Nobody knows when a running request ends; a second is a polite guess. */
const BUSY_RETRY_MS = 1_000;
const PRUNE_ABOVE = 1_000;

/** Requests per minute as a token bucket that refills evenly, and a bound on requests at the same time. */
export function createKeyLimits(options: { readonly clock: Clock }): KeyLimits {
  const buckets = new Map<string, Bucket>();

  function bucketOf(id: string, capacity: number, nowMs: number): Bucket {
    let bucket = buckets.get(id);
    if (!bucket) {
      if (buckets.size >= PRUNE_ABOVE) prune(nowMs);
      bucket = { tokens: capacity, filledAtMs: nowMs, running: 0 };
      buckets.set(id, bucket);
    }
    const passedMs = Math.max(0, nowMs - bucket.filledAtMs);
    bucket.tokens = Math.min(capacity, bucket.tokens + (passedMs * capacity) / MINUTE_MS);
    bucket.filledAtMs = nowMs;
    return bucket;
  }

  /** A bucket that is idle for a minute is full again, and a full one need not be remembered. */
  function prune(nowMs: number): void {
    for (const [id, bucket] of buckets) {
      if (bucket.running === 0 && nowMs - bucket.filledAtMs >= MINUTE_MS) buckets.delete(id);
    }
  }

  return {
    enter({ keyId, requestsPerMinute, maxConcurrent }) {
      if (requestsPerMinute === undefined && maxConcurrent === undefined) return () => {};
      const bucket = bucketOf(keyId ?? '', requestsPerMinute ?? 1, options.clock());
      if (maxConcurrent !== undefined && bucket.running >= maxConcurrent) {
        throw new GatewayError(
          'rate-limited',
          `This key may run ${count(maxConcurrent, 'request')} at a time; wait for one to finish.`,
          { retryAfterMs: BUSY_RETRY_MS },
        );
      }
      if (requestsPerMinute !== undefined) {
        if (bucket.tokens < 1) {
          const retryAfterMs = Math.ceil(((1 - bucket.tokens) * MINUTE_MS) / requestsPerMinute);
          throw new GatewayError(
            'rate-limited',
            `This key may send ${count(requestsPerMinute, 'request')} a minute; try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
            { retryAfterMs },
          );
        }
        bucket.tokens -= 1;
      }
      bucket.running += 1;
      let isInside = true;
      return () => {
        if (isInside) bucket.running -= 1;
        isInside = false;
      };
    },
  };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
