import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ExecClientMessageSchema, ExecServerMessage } from '../../../../src/gen/agent/v1/exec_pb.ts';

export type ExecArgs = ExecServerMessage['message'];
export type ExecAnswer = NonNullable<
  Exclude<MessageInitShape<typeof ExecClientMessageSchema>, { $typeName: string }>['message']
>;

/** Trouble inside the client, answered by `throw` instead of a result. */
export class ExecTrouble extends Error {}

/** What was executed here, in order. */
export interface Execution {
  readonly kind: string;
  /** Empty for execs that carry none. */
  readonly callId: string;
  readonly args: ExecArgs;
}

/** Runs one exec; `emit` is called for each answer, once for all but streamed shells. */
export interface ExecSetting {
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly emit: (answer: ExecAnswer) => void;
}
