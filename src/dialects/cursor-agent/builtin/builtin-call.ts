import type { JsonValue } from '../../../core/index.ts';
import type { CallOutcome } from '../call-outcome.ts';
import type { ExecAnswer } from '../client-frames.ts';

/** What a built-in tool of the backend does, in one word. */
export type BuiltinKind = 'read' | 'write' | 'edit' | 'delete' | 'list' | 'grep' | 'glob' | 'shell' | 'fetch';

export type Slot =
  | 'path'
  | 'content'
  | 'oldText'
  | 'newText'
  | 'command'
  | 'directory'
  | 'pattern'
  | 'glob'
  | 'ignoreCase'
  | 'offset'
  | 'limit'
  | 'url'
  | 'purpose';

/** A built-in exec that a tool of the caller could run. */
export interface BuiltinCall {
  readonly kind: BuiltinKind;
  /** Empty when the backend named none. */
  readonly callId: string;
  readonly values: Readonly<Partial<Record<Slot, JsonValue>>>;
  /** Without these the call would mean something else. */
  readonly essential: readonly Slot[];
  /** The caller's answer in the form of this exec's own result. */
  answer(outcome: CallOutcome): ExecAnswer[];
}
