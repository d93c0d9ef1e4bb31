import type { GatewayError } from './errors.ts';
import type { FinishReason } from './finish-reason.ts';
import type { JsonValue } from './json.ts';
import type { AudioPart, FilePart, ImagePart, Part, ReasoningPart, ToolResultPart } from './message.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { MediaStart, TurnEnd, TurnEvent, TurnStart, Warning } from './turn-event.ts';
import type { Usage } from './usage.ts';

/** A whole answer. Every non-streaming reply is made from one. */
export interface TurnResult {
  readonly start?: TurnStart;
  /** In the order in which the model opened them. */
  readonly content: readonly Part[];
  readonly finishReason: FinishReason;
  readonly end?: TurnEnd;
  readonly usage?: Usage;
  readonly warnings: readonly Warning[];
  readonly opaque: readonly { readonly dialect: string; readonly value: JsonValue }[];
  /** Set when the turn failed; `content` is then what had arrived before. */
  readonly error?: GatewayError;
}

interface Draft {
  part: Part | undefined;
  pieces: string[];
  transcript: string[];
  logprobs: JsonValue[];
}

/** Folds events into a whole answer, one at a time, so that nothing but the answer itself is kept. */
export class TurnFold {
  #start: TurnStart | undefined;
  #end: TurnEnd | undefined;
  #usage: Usage | undefined;
  #error: GatewayError | undefined;
  readonly #drafts: Draft[] = [];
  readonly #open = new Map<string, { draft: Draft; event: TurnEvent }>();
  readonly #warnings: Warning[] = [];
  readonly #opaque: { dialect: string; value: JsonValue }[] = [];

  add(event: TurnEvent): void {
    switch (event.type) {
      case 'turn-start':
        this.#start = event;
        return;
      case 'text-start':
      case 'reasoning-start':
      case 'media-start':
        this.#openDraft(event.id, event);
        return;
      case 'text-delta': {
        const draft = this.#draft(event.id);
        draft?.pieces.push(event.text);
        if (event.logprobs !== undefined) draft?.logprobs.push(event.logprobs);
        return;
      }
      case 'reasoning-delta':
        this.#draft(event.id)?.pieces.push(event.text);
        return;
      case 'media-delta': {
        const draft = this.#draft(event.id);
        if (event.data !== undefined) draft?.pieces.push(event.data);
        if (event.transcript !== undefined) draft?.transcript.push(event.transcript);
        return;
      }
      case 'text-end':
      case 'reasoning-end':
      case 'media-end':
        this.#closeDraft(event);
        return;
      case 'tool-input-start':
        this.#openDraft(event.callId, event);
        return;
      case 'tool-call': {
        const { type, callId, name, kind, argumentsText, namespace, itemId, extra } = event;
        const open = this.#open.get(callId);
        if (open) {
          open.draft.part = omitUndefined({
            type,
            callId,
            name,
            kind,
            argumentsText,
            namespace,
            itemId,
            extra,
          });
        }
        return;
      }
      case 'tool-result':
        this.#keep(event.result);
        return;
      case 'usage':
        this.#usage = event.usage;
        return;
      case 'warning':
        this.#warnings.push(event);
        return;
      case 'opaque':
        this.#opaque.push({ dialect: event.dialect, value: event.value });
        return;
      case 'turn-end':
        this.#end = event;
        this.#usage = event.usage ?? this.#usage;
        return;
      case 'turn-error':
        this.#error = event.error;
        this.#usage = event.usage ?? this.#usage;
        return;
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'tool-progress':
      case 'approval-request':
      case 'approval-response':
      case 'awaiting-results':
        return;
      default:
        event satisfies never;
    }
  }

  result(): TurnResult {
    const content = this.#drafts.flatMap((draft) => (draft.part ? [draft.part] : []));
    return omitUndefined({
      start: this.#start,
      content,
      finishReason: this.#end?.reason ?? 'other',
      end: this.#end,
      usage: this.#usage,
      warnings: this.#warnings,
      opaque: this.#opaque,
      error: this.#error,
    });
  }

  #openDraft(id: string, event: TurnEvent): void {
    const draft: Draft = { part: undefined, pieces: [], transcript: [], logprobs: [] };
    this.#drafts.push(draft);
    this.#open.set(id, { draft, event });
  }

  #draft(id: string): Draft | undefined {
    return this.#open.get(id)?.draft;
  }

  #keep(part: ToolResultPart): void {
    this.#drafts.push({ part, pieces: [], transcript: [], logprobs: [] });
  }

  #closeDraft(event: Extract<TurnEvent, { type: 'text-end' | 'reasoning-end' | 'media-end' }>): void {
    const open = this.#open.get(event.id);
    if (!open) return;
    this.#open.delete(event.id);
    open.draft.part = finishPart(open.event, event, open.draft);
    open.draft.pieces = [];
  }
}

function finishPart(start: TurnEvent, end: TurnEvent, draft: Draft): Part | undefined {
  const text = draft.pieces.join('');
  if (start.type === 'text-start' && end.type === 'text-end') {
    if (start.form === 'refusal') return { type: 'refusal', text };
    const logprobs = draft.logprobs.length > 0 ? draft.logprobs : undefined;
    return omitUndefined({ type: 'text' as const, text, annotations: end.annotations, logprobs });
  }
  if (start.type === 'reasoning-start' && end.type === 'reasoning-end') {
    const { type: _type, id, ...proof } = end;
    const part: ReasoningPart = { type: 'reasoning', text, form: start.form, id, ...proof };
    return part;
  }
  if (start.type === 'media-start') return finishMedia(start, text, draft.transcript.join(''));
  return undefined;
}

function finishMedia(start: MediaStart, data: string, transcript: string): AudioPart | ImagePart | FilePart {
  const source = omitUndefined({ type: 'base64' as const, data, mediaType: start.mediaType });
  if (start.kind !== 'audio') return { type: start.kind, source };
  return omitUndefined({ type: 'audio' as const, source, transcript: transcript || undefined });
}

export function foldTurn(events: Iterable<TurnEvent>): TurnResult {
  const fold = new TurnFold();
  for (const event of events) fold.add(event);
  return fold.result();
}
