import type { Mode } from '../../core/index.ts';
import type { FeatureGates } from '../modes.ts';
import type { Risk, Touch } from '../tool.ts';
import type { ToolOutcome } from '../tool-outcome.ts';

/** Something this side does where the client cannot; the arguments are those of the tool's own schema, parsed. */
export type ServerTool<Args> = (args: Args, signal: AbortSignal) => Promise<ToolOutcome>;

export interface WebSearchArguments {
  readonly search_term: string;
  readonly max_results: number;
}

export interface WebFetchArguments {
  readonly url: string;
  readonly format: 'markdown' | 'html';
}

export interface ImageArguments {
  readonly description: string;
  readonly filename?: string;
  readonly reference_image_paths: readonly string[];
  readonly aspect_ratio: string;
}

/** What rules may know of the tool that a call uses. */
export interface JudgedTool {
  readonly name: string;
  readonly number: number;
  readonly risk: Risk;
}

export interface JudgedCall {
  readonly tool: JudgedTool;
  /** Paths as the client names them: absolute, or relative to its workspace. */
  readonly touches: readonly Touch[];
  readonly mode: Mode;
  /** The client's workspaces, the first being the one that relative paths start from. */
  readonly folders: readonly string[];
}

export interface RemoteToolsOptions {
  /**
   * Why a call may not run, whatever the client's user says, in words for the model. Asked once for a call as a whole and
   * then for every exec it sends.
   */
  readonly forbids?: (call: JudgedCall) => Promise<string | undefined>;
  readonly gates?: FeatureGates;
  /** No client searches the web itself: without this the tool is not offered. */
  readonly webSearch?: ServerTool<WebSearchArguments>;
  /** Only for clients that cannot fetch a page themselves. */
  readonly webFetch?: ServerTool<WebFetchArguments>;
  /** Makes the picture (the first image part of the outcome); the client is given it to save. */
  readonly generateImage?: ServerTool<ImageArguments>;
  /**
   * Lets the client run sub-agents, on this model where a call names none. Off unless set: each is a run of its own that
   * knows nothing of how deep it stands, and a model that always delegates nests them without end (seen with the
   * official SDK). Without it the loop runs them, within its own bounds.
   */
  readonly clientSubAgents?: { readonly model: string };
  /** Overrides what the client says of its workspace. */
  readonly workspace?: string;
  readonly nowMs?: () => number;
  /** Resolves after the time, or at once when the signal fires. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}
