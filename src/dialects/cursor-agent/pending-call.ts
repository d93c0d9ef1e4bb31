import type { ToolResultPart } from '../../core/index.ts';
import type { ExecAnswer } from './client-frames.ts';

/** A call that the caller has to run, and the exec that waits for its result. */
export interface PendingCall {
  readonly exec: { readonly id: number; readonly execId: string };
  readonly callId: string;
  readonly name: string;
  readonly namespace?: string;
  readonly kind: 'function' | 'custom';
  readonly argumentsText: string;
  answer(result: ToolResultPart): ExecAnswer[];
}
