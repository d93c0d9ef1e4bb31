import type { Extra, JsonObject, JsonValue } from './json.ts';
import type { Message } from './message.ts';
import type { ToolChoice, ToolDefinition } from './tool-definition.ts';

export interface SamplingOptions {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly maxOutputTokens?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly logitBias?: JsonObject;
  readonly logprobs?: boolean;
  readonly topLogprobs?: number;
  /** How many answers are wanted. More than one exists in the chat dialect only. */
  readonly choices?: number;
}

export interface ReasoningOptions {
  /** The dialects' shared word list is open: none, minimal, low, medium, high, xhigh … */
  readonly effort?: string;
  readonly budgetTokens?: number;
  readonly enabled?: boolean;
  /** How much of the thought the client wants to see: `auto`, `concise`, `detailed` … */
  readonly summary?: string;
}

export type OutputFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json' }
  | {
      readonly type: 'json-schema';
      readonly name?: string;
      readonly description?: string;
      readonly schema: JsonObject;
      readonly strict?: boolean;
    };

/** Another reading of a model name, for clients that write choices into it (`name-thinking-high-fast`). */
export interface ModelAlternative {
  readonly model: string;
  /** Applied when the request names no effort of its own. */
  readonly reasoningEffort?: string;
  readonly serviceTier?: string;
}

/** Everything a client can ask of a model, whatever dialect it spoke. Immutable: a change makes a copy. */
export interface TurnRequest {
  /** The model as the client named it; the router turns it into a target. */
  readonly model: string;
  /** Tried in order when `model` names nothing; an empty name means the default model. */
  readonly modelAlternatives?: readonly ModelAlternative[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly sampling: SamplingOptions;
  readonly reasoning?: ReasoningOptions;
  readonly output?: OutputFormat;
  readonly verbosity?: string;
  readonly stream: boolean;
  /** The client wants token counts inside the stream. */
  readonly includeUsage?: boolean;
  readonly promptCacheKey?: string;
  readonly user?: string;
  readonly serviceTier?: string;
  readonly store?: boolean;
  readonly metadata?: Readonly<Record<string, JsonValue>>;
  /** The client's own name for the conversation, where it sends one; groups turns in the console. */
  readonly session?: string;
  readonly extra?: Extra;
}
