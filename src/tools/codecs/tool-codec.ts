import type { JsonObject } from '../../core/index.ts';
import type { ToolOutcome } from '../tool-outcome.ts';

export interface Encoded<Message> {
  readonly message: Message;
  /** What the typed slot cannot say, by canonical name; empty when the far end gets everything. */
  readonly lost: readonly string[];
}

export interface DecodedCall {
  readonly callId: string;
  /** The row of the catalogue that the wire named, or that stands for what it named. */
  readonly number: number;
  /** The canonical name of the tool that runs it. */
  readonly name: string;
  /** In a form that the tool's own schema takes; whoever runs the tool validates with it. */
  readonly args: JsonObject;
}

export interface DecodedResult {
  readonly callId: string;
  readonly number: number;
  readonly name: string;
  readonly outcome: ToolOutcome;
}

export interface CallOptions {
  readonly callId: string;
}

export interface ResultOptions extends CallOptions {
  /** The number the call came with, where it is not the tool's own: its result belongs in that number's slot. */
  readonly number?: number;
}

/** One wire's way to say calls and results of the built-in tools. */
export interface ToolCodec<Call, Result> {
  encodeCall(name: string, args: JsonObject, options: CallOptions): Encoded<Call>;
  decodeCall(message: Call): DecodedCall;
  encodeResult(name: string, outcome: ToolOutcome, options: ResultOptions): Encoded<Result>;
  decodeResult(message: Result): DecodedResult;
}
