// Message items of a streamed answer: text and refusals, several parts to an item.
import type { IdSource, JsonObject, JsonValue, TextDelta, TextEnd, TextStart } from '../../core/index.ts';
import { encodeAnnotations } from './encode-annotations.ts';
import { deltaHead, type FrameWriter } from './frame-writer.ts';
import type { OutputList } from './output-list.ts';
import { logprobList, messageItem, refusalPart, textPart } from './output-shapes.ts';

interface OpenMessage {
  readonly index: number;
  readonly id: string;
  readonly content: JsonObject[];
  openSpans: number;
  /** Something else has begun since: no further part goes in here. */
  isLeft: boolean;
}

interface OpenText {
  readonly message: OpenMessage;
  readonly contentIndex: number;
  readonly isRefusal: boolean;
  readonly head: string;
  pieces: string[];
  logprobs: JsonValue[];
}

export class MessageItems {
  readonly #frames: FrameWriter;
  readonly #output: OutputList;
  readonly #newId: IdSource;
  readonly #texts = new Map<string, OpenText>();
  #current: OpenMessage | undefined;

  constructor(frames: FrameWriter, output: OutputList, newId: IdSource) {
    this.#frames = frames;
    this.#output = output;
    this.#newId = newId;
  }

  start(event: TextStart): void {
    this.#current ??= this.#open();
    const message = this.#current;
    const isRefusal = event.form === 'refusal';
    const contentIndex = message.content.length;
    const part = isRefusal ? refusalPart('') : textPart('');
    const place = { item_id: message.id, output_index: message.index, content_index: contentIndex };
    message.content.push(part);
    message.openSpans++;
    this.#frames.event('response.content_part.added', { ...place, part });
    this.#texts.set(event.id, {
      message,
      contentIndex,
      isRefusal,
      head: isRefusal
        ? deltaHead('response.refusal.delta', place)
        : deltaHead('response.output_text.delta', { ...place, logprobs: [] }),
      pieces: [],
      logprobs: [],
    });
  }

  delta(event: TextDelta): void {
    const text = this.#texts.get(event.id);
    if (!text) return;
    text.pieces.push(event.text);
    const logprobs = logprobList(event.logprobs);
    if (logprobs.length === 0) {
      this.#frames.delta(text.head, event.text);
      return;
    }
    text.logprobs.push(...logprobs);
    const { message, contentIndex } = text;
    this.#frames.event('response.output_text.delta', {
      item_id: message.id,
      output_index: message.index,
      content_index: contentIndex,
      delta: event.text,
      logprobs,
    });
  }

  end(event: TextEnd): void {
    const text = this.#texts.get(event.id);
    if (!text) return;
    this.#texts.delete(event.id);
    const { message, contentIndex, isRefusal, logprobs } = text;
    const whole = text.pieces.join('');
    const place = { item_id: message.id, output_index: message.index, content_index: contentIndex };
    const annotations = encodeAnnotations(event.annotations, whole.length);
    for (const [index, annotation] of annotations.entries()) {
      this.#frames.event('response.output_text.annotation.added', {
        ...place,
        annotation_index: index,
        annotation,
      });
    }
    if (isRefusal) this.#frames.event('response.refusal.done', { ...place, refusal: whole });
    else this.#frames.event('response.output_text.done', { ...place, text: whole, logprobs });
    const part = isRefusal ? refusalPart(whole) : textPart(whole, annotations, logprobs);
    message.content[contentIndex] = part;
    this.#frames.event('response.content_part.done', { ...place, part });
    message.openSpans--;
    if (message.isLeft) this.#finish(message);
  }

  /** Another item begins: the message is done as soon as its last part is. */
  leave(): void {
    const message = this.#current;
    if (!message) return;
    this.#current = undefined;
    message.isLeft = true;
    this.#finish(message);
  }

  #open(): OpenMessage {
    const index = this.#output.nextIndex();
    const id = this.#newId('msg_');
    this.#frames.event('response.output_item.added', {
      output_index: index,
      item: messageItem(id, 'in_progress', []),
    });
    return { index, id, content: [], openSpans: 0, isLeft: false };
  }

  #finish(message: OpenMessage): void {
    if (message.openSpans > 0) return;
    this.#output.finish(message.index, messageItem(message.id, 'completed', message.content));
  }
}
