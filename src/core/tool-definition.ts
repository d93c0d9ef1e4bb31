import type { Extra, JsonObject } from './json.ts';
import type { CacheHint, ToolCallKind } from './message.ts';

interface ToolBase {
  readonly name: string;
  readonly description?: string;
  readonly namespace?: string;
  readonly cache?: CacheHint;
  readonly extra?: Extra;
}

export interface FunctionTool extends ToolBase {
  readonly kind: 'function';
  /** JSON Schema of the arguments; absent means "no arguments declared". */
  readonly parameters?: JsonObject;
  readonly strict?: boolean;
}

export type CustomFormat =
  | { readonly type: 'text' }
  | { readonly type: 'grammar'; readonly syntax: string; readonly definition: string };

/** A tool whose input is free text, perhaps bound by a grammar (Cursor's ApplyPatch, Codex's apply_patch). */
export interface CustomTool extends ToolBase {
  readonly kind: 'custom';
  readonly format?: CustomFormat;
}

/** A tool the upstream runs itself (web search, code interpreter); only its own dialect can express it. */
export interface HostedTool extends ToolBase {
  readonly kind: 'hosted';
  readonly dialect: string;
  readonly hostedType: string;
  readonly config: JsonObject;
}

export type ToolDefinition = FunctionTool | CustomTool | HostedTool;

export interface ToolReference {
  readonly kind: ToolCallKind;
  readonly name: string;
}

export type ToolChoice =
  | { readonly type: 'auto' }
  | { readonly type: 'none' }
  | { readonly type: 'required' }
  | ({ readonly type: 'tool' } & ToolReference)
  | {
      readonly type: 'allowed';
      readonly mode: 'auto' | 'required';
      readonly tools: readonly ToolReference[];
    };
