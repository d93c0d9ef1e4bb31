// Reasoning items of a streamed answer. Adjacent thoughts share an item until one carries a proof: a summary of
// several paragraphs and its `encrypted_content` belong together.
import {
  type IdSource,
  type JsonObject,
  omitUndefined,
  type ReasoningDelta,
  type ReasoningEnd,
  type ReasoningPart,
  type ReasoningStart,
} from '../../core/index.ts';
import { deltaHead, type FrameWriter } from './frame-writer.ts';
import type { OutputList } from './output-list.ts';
import { beginsReasoningItem, encryptedContent, endsReasoningItem, reasoningItem } from './output-shapes.ts';
import { itemIdOfSpan } from './thought-span-id.ts';

interface OpenThought {
  readonly index: number;
  readonly id: string;
  readonly summary: JsonObject[];
  readonly content: JsonObject[];
  encrypted: string | undefined;
  openSpans: number;
  isLeft: boolean;
}

interface OpenSpan {
  readonly thought: OpenThought;
  readonly form: ReasoningPart['form'];
  readonly partIndex: number;
  readonly head: string;
  readonly pieces: string[];
}

export class ReasoningItems {
  readonly #frames: FrameWriter;
  readonly #output: OutputList;
  readonly #newId: IdSource;
  readonly #showsProof: boolean;
  readonly #spans = new Map<string, OpenSpan>();
  readonly #usedIds = new Set<string>();
  #current: OpenThought | undefined;

  constructor(frames: FrameWriter, output: OutputList, newId: IdSource, showsProof: boolean) {
    this.#frames = frames;
    this.#output = output;
    this.#newId = newId;
    this.#showsProof = showsProof;
  }

  start(event: ReasoningStart): void {
    const { form } = event;
    if (this.#current && beginsReasoningItem(form, this.#current.content.length > 0)) this.leave();
    this.#current ??= this.#open(itemIdOfSpan(event.id));
    const thought = this.#current;
    thought.openSpans++;
    const list = form === 'summary' ? thought.summary : thought.content;
    const partIndex = list.length;
    const place = placeOf(thought, form, partIndex);
    if (form !== 'redacted') {
      const part = partOf(form, '');
      list.push(part);
      const name = form === 'summary' ? 'reasoning_summary_part' : 'content_part';
      this.#frames.event(`response.${name}.added`, { ...place, part });
    }
    const deltaName = form === 'summary' ? 'reasoning_summary_text' : 'reasoning_text';
    const head = deltaHead(`response.${deltaName}.delta`, place);
    this.#spans.set(event.id, { thought, form, partIndex, head, pieces: [] });
  }

  delta(event: ReasoningDelta): void {
    const span = this.#spans.get(event.id);
    if (!span) return;
    span.pieces.push(event.text);
    if (span.form !== 'redacted') this.#frames.delta(span.head, event.text);
  }

  end(event: ReasoningEnd): void {
    const span = this.#spans.get(event.id);
    if (!span) return;
    this.#spans.delete(event.id);
    const { thought, form, partIndex } = span;
    const text = span.pieces.join('');
    if (form !== 'redacted') this.#endPart(thought, form, partIndex, text);
    thought.openSpans--;
    const { signature, encrypted, origin } = event;
    const content = encryptedContent(omitUndefined({ text, form, signature, encrypted, origin }));
    if (this.#showsProof && content !== undefined) thought.encrypted = content;
    if (endsReasoningItem(event)) {
      thought.isLeft = true;
      if (this.#current === thought) this.#current = undefined;
    }
    if (thought.isLeft) this.#finish(thought);
  }

  /** Another item begins: the thought is done as soon as its last part is. */
  leave(): void {
    const thought = this.#current;
    if (!thought) return;
    this.#current = undefined;
    thought.isLeft = true;
    this.#finish(thought);
  }

  #open(knownId: string | undefined): OpenThought {
    const index = this.#output.nextIndex();
    const id = knownId === undefined || this.#usedIds.has(knownId) ? this.#newId('rs_') : knownId;
    this.#usedIds.add(id);
    this.#frames.event('response.output_item.added', {
      output_index: index,
      item: reasoningItem(id, [], [], undefined),
    });
    return { index, id, summary: [], content: [], encrypted: undefined, openSpans: 0, isLeft: false };
  }

  #endPart(thought: OpenThought, form: 'summary' | 'raw', partIndex: number, text: string): void {
    const place = placeOf(thought, form, partIndex);
    const part = partOf(form, text);
    const isSummary = form === 'summary';
    (isSummary ? thought.summary : thought.content)[partIndex] = part;
    this.#frames.event(`response.${isSummary ? 'reasoning_summary_text' : 'reasoning_text'}.done`, {
      ...place,
      text,
    });
    this.#frames.event(`response.${isSummary ? 'reasoning_summary_part' : 'content_part'}.done`, {
      ...place,
      part,
    });
  }

  #finish(thought: OpenThought): void {
    if (thought.openSpans > 0) return;
    const { index, id, summary, content, encrypted } = thought;
    this.#output.finish(index, reasoningItem(id, summary, content, encrypted));
  }
}

function placeOf(thought: OpenThought, form: ReasoningPart['form'], partIndex: number): JsonObject {
  const key = form === 'summary' ? 'summary_index' : 'content_index';
  return { item_id: thought.id, output_index: thought.index, [key]: partIndex };
}

function partOf(form: 'summary' | 'raw', text: string): JsonObject {
  return { type: form === 'summary' ? 'summary_text' : 'reasoning_text', text };
}
