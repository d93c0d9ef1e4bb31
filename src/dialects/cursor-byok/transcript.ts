// A conversation taken apart: what all request shapes become before one of them is written again. Text, calls and
// results are separate entries, in the order in which they were sent.
import type { JsonObject } from '../../core/index.ts';

export type ContentPart =
  | { readonly type: 'text'; readonly text: string; readonly cache?: JsonObject }
  | { readonly type: 'refusal'; readonly text: string }
  | {
      readonly type: 'image';
      readonly url?: string;
      readonly fileId?: string;
      readonly detail?: string;
      readonly cache?: JsonObject;
    }
  | {
      readonly type: 'file';
      readonly data?: string;
      readonly url?: string;
      readonly fileId?: string;
      readonly filename?: string;
    }
  /** A part of a kind this front has no word for. */
  | { readonly type: 'other'; readonly value: JsonObject };

export type SpeakerRole = 'system' | 'developer' | 'user' | 'assistant';

export interface SpeechEntry {
  readonly kind: 'speech';
  readonly role: SpeakerRole;
  readonly content: readonly ContentPart[];
  readonly name?: string;
  /** What a Responses message item holds beside its words. */
  readonly item?: JsonObject;
  /** False for the second and later texts of one message: words after a call. */
  readonly opensMessage: boolean;
}

export interface CallEntry {
  readonly kind: 'call';
  readonly callId: string;
  /** Other ids by which a result may name this call. */
  readonly itemId?: string;
  readonly name: string;
  readonly isCustom: boolean;
  readonly argumentsText: string;
  readonly item?: JsonObject;
}

export interface ResultEntry {
  readonly kind: 'result';
  /** Absent when the client did not say what it answers. */
  readonly callId?: string;
  readonly name?: string;
  readonly content: string | readonly ContentPart[];
  readonly isError: boolean;
  readonly cache?: JsonObject;
}

/** Thought text that the client replayed. */
export interface ThoughtEntry {
  readonly kind: 'thought';
  readonly text: string;
}

/** An item only the Responses dialect can say: sealed reasoning, a hosted call, a reference. */
export interface ItemEntry {
  readonly kind: 'item';
  readonly item: JsonObject;
}

export type Entry = SpeechEntry | CallEntry | ResultEntry | ThoughtEntry | ItemEntry;

/** True for what a model says in its turn; results and the words of others end that turn. */
export function isModelSide(entry: Entry): boolean {
  switch (entry.kind) {
    case 'speech':
      return entry.role === 'assistant';
    case 'call':
    case 'thought':
      return true;
    case 'item':
      return entry.item.type !== 'additional_tools';
    case 'result':
      return false;
    default:
      return entry satisfies never;
  }
}
