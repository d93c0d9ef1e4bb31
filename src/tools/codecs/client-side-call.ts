import type { JsonObject } from '../../core/index.ts';
import type { ToolFailure, ToolOutcome } from '../tool-outcome.ts';

/** Whose call it is: what every message of aiserver.v1 about one call repeats. */
export interface CallIdentity {
  /** As it came; some hold a line break, so it is no file name and no header. */
  readonly callId: string;
  /** The canonical name of the built-in tool. */
  readonly name: string;
  /** Its row in the catalogue; the tool's own unless given, always there after decoding. */
  readonly number?: number;
  /** What the model called it, e.g. `mcp_<server>_<tool>`; the canonical name unless given. */
  readonly modelName?: string;
  /** Its place among the calls of one answer. */
  readonly toolIndex?: number;
  /** The model's turn it belongs to; the result repeats it. */
  readonly modelCallId?: string;
}

/** A call with its arguments, as far as they are known. */
export interface ArgumentCall extends CallIdentity {
  /** Empty while the text of a streaming call is not whole. */
  readonly args: JsonObject;
  /** The model's own text, all of it so far; the arguments as JSON unless given. */
  readonly rawArgs?: string;
}

/** `ClientSideToolV2Call`: a call that the client runs. */
export interface ClientSideCall extends ArgumentCall {
  /** After which the client gives up and answers with an error. */
  readonly timeoutMs?: number;
  /** More messages about the same call follow, each with all of the text so far, up to the one that is last. */
  readonly isStreaming?: boolean;
  readonly isLast?: boolean;
  readonly isInternal?: boolean;
}

/** `ClientSideToolV2Result`: what the client answers. */
export interface ClientSideResult extends CallIdentity {
  readonly outcome: ToolOutcome;
}

/** `StreamedBackToolCall` and `StreamedBackToolCallV2`: a call that the client shows and does not run. */
export interface StreamedBackCall extends ArgumentCall {
  readonly failure?: ToolFailure;
}

/** What a decoder gives: the number is always known then. */
export type Numbered<Call extends CallIdentity> = Call & { readonly number: number };
