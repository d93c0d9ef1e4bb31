// The canon of agent runs: what a loop over turns is asked, what it tells, and how it reaches tools. The loop knows no
// wire; a native front and the tool runtime know nothing of the loop. They meet here.
import type { GatewayError } from './errors.ts';
import type { Message, Part, ToolCallKind, ToolResultPart } from './message.ts';
import type { ToolDefinition } from './tool-definition.ts';
import type { TurnEvent } from './turn-event.ts';
import type { ModelAlternative, ReasoningOptions, SamplingOptions } from './turn-request.ts';
import type { Usage } from './usage.ts';

export const MODES = ['agent', 'chat', 'plan', 'debug', 'search'] as const;
export type Mode = (typeof MODES)[number];

const READ_ONLY_MODES: ReadonlySet<Mode> = new Set(['chat', 'plan', 'search']);

/** In these nothing is written and nothing is run, whatever a prompt says. */
export function isReadOnlyMode(mode: Mode): boolean {
  return READ_ONLY_MODES.has(mode);
}

/** A rule file, a skill or an instruction that the user or a workspace sets. */
export interface AgentRule {
  readonly name: string;
  readonly text: string;
}

/** Where a run works; everything the prompt says about it comes from here. */
export interface Surroundings {
  readonly workspaces?: readonly string[];
  readonly os?: string;
  readonly shell?: string;
  readonly timeZone?: string;
  readonly rules?: readonly AgentRule[];
  /** Things the model may read up when it needs them, with where they are. */
  readonly onDemand?: readonly AgentRule[];
  /** What MCP servers say about their use. */
  readonly instructions?: readonly AgentRule[];
}

/** Each bound is left out where there is none. */
export interface RunLimits {
  readonly maxSteps?: number;
  readonly maxMs?: number;
  readonly maxTokens?: number;
  /** In the currency of the prices that the run is given. */
  readonly maxSpend?: number;
}

export interface AgentTask {
  readonly runId: string;
  readonly model: string;
  readonly modelAlternatives?: readonly ModelAlternative[];
  readonly mode: Mode;
  /**
   * The conversation without its system prompt. It ends with what the user said, or with calls that have no results
   * yet: those are settled first, which is how a run is taken up again.
   */
  readonly messages: readonly Message[];
  readonly surroundings?: Surroundings;
  readonly systemPrompt?: { readonly replace?: string; readonly append?: string };
  readonly sampling?: SamplingOptions;
  readonly reasoning?: ReasoningOptions;
  readonly limits?: RunLimits;
  /** The conversation's name; groups the turns of a run, and of a conversation's runs. */
  readonly session?: string;
  /** How deep this run stands below the one a user started. */
  readonly depth?: number;
}

export interface AgentCall {
  readonly callId: string;
  readonly name: string;
  readonly kind: ToolCallKind;
  readonly argumentsText: string;
  /** The parsed arguments; absent when the text is not JSON, and then `inputProblem` says why. */
  readonly input?: ToolCallInput;
  readonly inputProblem?: string;
}
type ToolCallInput = Extract<TurnEvent, { type: 'tool-call' }>['input'];

export interface CallProgress {
  readonly text?: string;
  readonly stream?: 'stdout' | 'stderr';
}

/** What came of a call. A failure is a result that the model reads; it is no throw. */
export interface CallResult {
  readonly content: ToolResultPart['content'];
  readonly isError?: boolean;
  /** The call changed the mode of the run. */
  readonly mode?: Mode;
  /** The run rests here: the user must act first (a plan to approve, a question left open). */
  readonly endsRun?: boolean;
}

export interface SubTask {
  readonly prompt: string;
  readonly description?: string;
  readonly model?: string;
  readonly mode?: Mode;
  /** A kind of sub-agent with its own prompt and tools, such as `explore`; unknown kinds are general. */
  readonly kind?: string;
  readonly systemPrompt?: string;
}

export interface SubTaskResult {
  readonly text: string;
  readonly isError?: boolean;
  readonly usage: Usage;
}

export interface CallContext {
  readonly mode: Mode;
  /** The run that makes the call, where it is one below the run that a user started. */
  readonly subRunId?: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CallProgress) => void;
  /** Runs a task below this one, with the same tools, model and limits; absent where runs may not nest deeper. */
  readonly runSubTask?: (task: SubTask, signal: AbortSignal) => Promise<SubTaskResult>;
}

/** `any` with any others, `few` at most five of a kind, `alone` after everything before and before everything after. */
export type Parallel = 'any' | 'few' | 'alone';

/** Where a run's tools are: in this process, or at the far end of a native stream. */
export interface ToolPort {
  /** What the model may call now; asked before every step, since modes and servers change. */
  list(mode: Mode, signal: AbortSignal): Promise<readonly ToolDefinition[]>;
  /** Whether a call by this name would find a tool although it is not listed: an alias, another spelling. */
  knows?(name: string): boolean;
  /** Rejects only when the signal fired or the far end is gone; both end the run. */
  run(call: AgentCall, context: CallContext): Promise<CallResult>;
  parallelOf(call: AgentCall): Parallel;
  /** Whether the call changes nothing; such calls repeated with the same answer are no progress. */
  isReadOnly(call: AgentCall): boolean;
}

/** Why a run ended. Only `done` and `awaiting-user` are the model's and the user's own wish. */
export const RUN_END_REASONS = [
  'done',
  'awaiting-user',
  'step-limit',
  'time-limit',
  'token-limit',
  'spend-limit',
  'no-progress',
  'length',
  'content-filter',
  'cancelled',
] as const;
export type RunEndReason = (typeof RUN_END_REASONS)[number];

export type NoProgressKind = 'repeated-reads' | 'repeated-failures' | 'no-change';

/**
 * What a run tells. The loop goes on when its reader asks for the next event, so whatever a reader does with
 * `round-open` (store a checkpoint, write a ledger) is done before the first call of that round runs.
 */
export type AgentEvent =
  | { readonly type: 'step-start'; readonly step: number; readonly mode: Mode }
  /** Text, reasoning and tool input as the model writes them. No `turn-end` and no `turn-error`. */
  | { readonly type: 'turn-events'; readonly events: readonly TurnEvent[] }
  /** The model's message is complete and its calls are about to run. */
  | {
      readonly type: 'round-open';
      readonly message: Message;
      readonly calls: readonly AgentCall[];
      /** Of the turn that made the calls; absent where they come from an earlier run. */
      readonly usage?: Usage;
    }
  | { readonly type: 'call-start'; readonly call: AgentCall }
  | { readonly type: 'call-progress'; readonly callId: string; readonly progress: CallProgress }
  | { readonly type: 'call-end'; readonly call: AgentCall; readonly result: CallResult }
  /** `messages` is what this step added: the model's message and the results, in the order of the calls. */
  | {
      readonly type: 'step-end';
      readonly step: number;
      readonly messages: readonly Message[];
      readonly usage?: Usage;
    }
  | { readonly type: 'compaction-start'; readonly contextTokens: number }
  /** `messages` is the whole conversation from now on. */
  | { readonly type: 'compaction-end'; readonly summary: string; readonly messages: readonly Message[] }
  /** Something was said to the model that the user did not say: `message` is now part of the conversation. */
  | { readonly type: 'hint'; readonly kind: NoProgressKind; readonly message: Message }
  | {
      readonly type: 'run-end';
      readonly reason: RunEndReason;
      readonly usage: Usage;
      /** Why, in words for people, where the reason is not the model's own. */
      readonly explanation?: string;
    }
  | { readonly type: 'run-error'; readonly error: GatewayError; readonly usage: Usage };

/** The parts of a user's message, with the text in front. */
export function userMessage(text: string, parts: readonly Part[] = []): Message {
  return { role: 'user', content: [{ type: 'text', text }, ...parts] };
}
