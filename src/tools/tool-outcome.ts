import type { FilePart, ImagePart, JsonObject } from '../core/index.ts';

/** Why a call failed, for programs: POSIX names where one fits, else these. */
export const FAILURE_CODES = [
  'EINVAL',
  'ENOENT',
  'EACCES',
  'EEXIST',
  'EISDIR',
  'ENOTDIR',
  'EFBIG',
  'ETIMEDOUT',
  'ECANCELED',
  'ENOSYS',
  'STALE_READ',
  'NO_MATCH',
  'MANY_MATCHES',
  'BINARY',
  'DENIED',
  'WRONG_MODE',
  'UNKNOWN_TOOL',
  'UNAVAILABLE',
  'FAILED',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** Facts about a result, spelled as the tool system's clients know them. */
export interface Attachments {
  readonly file_path?: string;
  readonly line_count?: number;
  readonly size_bytes?: number;
  readonly match_count?: number;
  readonly files_searched?: number;
  readonly edits_applied?: number;
  readonly exit_code?: number;
  readonly duration_ms?: number;
  readonly todo_reminder?: { readonly type: string; readonly message: string };
  readonly error_details?: { readonly code: string; readonly message: string; readonly stack_trace?: string };
  /** Where the whole output is when `content` was trimmed. */
  readonly output_location?: string;
  readonly [key: string]: unknown;
}

export interface ToolSuccess {
  readonly ok: true;
  /** What the model reads. */
  readonly content: string;
  readonly parts?: readonly (ImagePart | FilePart)[];
  readonly attachments?: Attachments;
  /** The same result as data, for codecs and programs. */
  readonly data?: JsonObject;
}

export interface ToolFailure {
  readonly ok: false;
  /** Says what happened, with which value, and what to do; the model reads it too. */
  readonly error: { readonly code: FailureCode; readonly message: string };
  readonly attachments?: Attachments;
  readonly data?: JsonObject;
}

export type ToolOutcome = ToolSuccess | ToolFailure;

export function succeed(content: string, more: Omit<ToolSuccess, 'ok' | 'content'> = {}): ToolSuccess {
  return { ok: true, content, ...more };
}

export function fail(
  code: FailureCode,
  message: string,
  more: Omit<ToolFailure, 'ok' | 'error'> = {},
): ToolFailure {
  return { ok: false, error: { code, message }, ...more };
}
