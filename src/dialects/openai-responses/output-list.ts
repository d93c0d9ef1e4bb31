// The items of one answer in the order in which they began, whatever the order in which they end.
import type { JsonObject } from '../../core/index.ts';
import type { FrameWriter } from './frame-writer.ts';

export class OutputList {
  readonly #frames: FrameWriter;
  readonly #finished = new Map<number, JsonObject>();
  #next = 0;

  constructor(frames: FrameWriter) {
    this.#frames = frames;
  }

  nextIndex(): number {
    return this.#next++;
  }

  finish(index: number, item: JsonObject): void {
    this.#finished.set(index, item);
    this.#frames.event('response.output_item.done', { output_index: index, item });
  }

  /** An item that comes in one piece. */
  addWhole(item: JsonObject, announced: JsonObject = item): void {
    const index = this.nextIndex();
    this.#frames.event('response.output_item.added', { output_index: index, item: announced });
    this.finish(index, item);
  }

  /** Finished items only: a call that was cut off is not there, so that nobody runs half a call. */
  items(): JsonObject[] {
    return [...this.#finished].sort(([left], [right]) => left - right).map(([, item]) => item);
  }
}
