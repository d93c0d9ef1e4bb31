// Content blocks on the wire come one after another: the next starts when the last has stopped, and indexes ascend
// without gaps. Models may open several calls at once; the first flows, the others wait here for their turn.
import { eventFrame } from './event-frame.ts';

interface Block {
  readonly start: string;
  readonly waiting: string[];
  index: number | undefined;
  isClosed: boolean;
}

/** Every method returns the frames that may be written now. Blocks and deltas are given as JSON text. */
export class BlockSequence {
  readonly #queue: Block[] = [];
  readonly #open = new Map<string, Block>();
  #nextIndex = 0;

  isOpen(key: string): boolean {
    return this.#open.has(key);
  }

  open(key: string, contentBlock: string): string {
    const block: Block = { start: contentBlock, waiting: [], index: undefined, isClosed: false };
    this.#open.set(key, block);
    this.#queue.push(block);
    return this.#queue.length === 1 ? this.#begin(block) : '';
  }

  write(key: string, delta: string): string {
    const block = this.#open.get(key);
    if (!block) return '';
    if (block.index !== undefined) return deltaFrame(block.index, delta);
    block.waiting.push(delta);
    return '';
  }

  close(key: string): string {
    const block = this.#open.get(key);
    if (!block) return '';
    this.#open.delete(key);
    block.isClosed = true;
    return this.#advance();
  }

  closeAll(): string {
    let out = '';
    for (const key of [...this.#open.keys()]) out += this.close(key);
    return out;
  }

  #advance(): string {
    let out = '';
    for (;;) {
      const [current] = this.#queue;
      if (!current) return out;
      if (current.index === undefined) out += this.#begin(current);
      if (!current.isClosed) return out;
      out += eventFrame('content_block_stop', `"index":${current.index}`);
      this.#queue.shift();
    }
  }

  #begin(block: Block): string {
    const index = this.#nextIndex++;
    block.index = index;
    let out = eventFrame('content_block_start', `"index":${index},"content_block":${block.start}`);
    for (const delta of block.waiting) out += deltaFrame(index, delta);
    block.waiting.length = 0;
    return out;
  }
}

function deltaFrame(index: number, delta: string): string {
  return eventFrame('content_block_delta', `"index":${index},"delta":${delta}`);
}
