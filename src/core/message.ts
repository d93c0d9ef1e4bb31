import type { Extra, JsonValue } from './json.ts';

/** A marker that everything up to here may be cached, as Anthropic's `cache_control` says it. */
export interface CacheHint {
  readonly ttl?: string;
}

/** Bytes of a picture, file or sound: inline, by address, or by an id that only the upstream can resolve. */
export type MediaSource =
  | { readonly type: 'base64'; readonly data: string; readonly mediaType?: string }
  | { readonly type: 'url'; readonly url: string; readonly mediaType?: string }
  | { readonly type: 'id'; readonly id: string };

interface PartBase {
  readonly cache?: CacheHint;
  readonly extra?: Extra;
}

export interface TextPart extends PartBase {
  readonly type: 'text';
  readonly text: string;
  /** Citations and links that belong to this text, in the dialect's own shape. */
  readonly annotations?: readonly JsonValue[];
  readonly logprobs?: JsonValue;
}

export interface RefusalPart extends PartBase {
  readonly type: 'refusal';
  readonly text: string;
}

export interface ImagePart extends PartBase {
  readonly type: 'image';
  readonly source: MediaSource;
  readonly detail?: string;
}

export interface FilePart extends PartBase {
  readonly type: 'file';
  readonly source: MediaSource;
  readonly filename?: string;
}

export interface AudioPart extends PartBase {
  readonly type: 'audio';
  readonly source: MediaSource;
  readonly format?: string;
  readonly transcript?: string;
}

/**
 * What a model thought. `signature` (Anthropic) and `encrypted` (OpenAI, redacted thinking) prove or hide the
 * thought for its own vendor and are meaningless to any other; `origin` says whose they are.
 */
export interface ReasoningPart extends PartBase {
  readonly type: 'reasoning';
  readonly text: string;
  readonly form: 'raw' | 'summary' | 'redacted';
  readonly id?: string;
  readonly signature?: string;
  readonly encrypted?: string;
  readonly origin?: string;
}

export type ToolCallKind = 'function' | 'custom' | 'hosted';

export interface ToolCallPart extends PartBase {
  readonly type: 'tool-call';
  readonly callId: string;
  readonly name: string;
  readonly kind: ToolCallKind;
  /** The arguments exactly as the model wrote them: JSON text for functions, free text for custom tools. */
  readonly argumentsText: string;
  /** Groups of tools that share names (Codex's `namespace`). */
  readonly namespace?: string;
  /** The id of the item that carried the call, where a dialect has one apart from the call id. */
  readonly itemId?: string;
}

export interface ToolResultPart extends PartBase {
  readonly type: 'tool-result';
  readonly callId: string;
  readonly kind?: ToolCallKind;
  readonly name?: string;
  readonly content: readonly (TextPart | ImagePart | FilePart | AudioPart | OpaquePart)[];
  readonly isError?: boolean;
}

/** A part of a kind the canon has no word for; kept for upstreams of the same dialect. */
export interface OpaquePart extends PartBase {
  readonly type: 'opaque';
  readonly dialect: string;
  readonly value: JsonValue;
}

export type Part =
  | TextPart
  | RefusalPart
  | ImagePart
  | FilePart
  | AudioPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | OpaquePart;

export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool';

/** One message. Tool results sit in `tool` messages, one or several, whatever the dialect did. */
export interface Message {
  readonly role: Role;
  readonly content: readonly Part[];
  readonly id?: string;
  readonly name?: string;
  readonly extra?: Extra;
}

/** The plain text of a message or part list, other parts left out. */
export function textOf(content: readonly Part[]): string {
  let text = '';
  for (const part of content) if (part.type === 'text') text += part.text;
  return text;
}
