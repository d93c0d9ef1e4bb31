import { type ErrorCode, GatewayError } from '../core/index.ts';

export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3, upstream: 4, interrupted: 130 } as const;

const BY_CODE: Readonly<Partial<Record<ErrorCode, number>>> = {
  'invalid-request': EXIT.usage,
  'permission-denied': EXIT.refused,
  'upstream-rejected': EXIT.upstream,
  'upstream-unavailable': EXIT.upstream,
  'upstream-malformed': EXIT.upstream,
  cancelled: EXIT.interrupted,
};

/** What a script learns from a failure. */
export function exitCodeOf(thrown: unknown): number {
  return BY_CODE[GatewayError.from(thrown).code] ?? EXIT.failed;
}
