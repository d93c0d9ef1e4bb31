import { fromBinary } from '@bufbuild/protobuf';
import { type AgentClientMessage, AgentClientMessageSchema } from '../../../src/gen/agent/v1/run_pb.ts';
import type { BidiAppendRequest } from '../../../src/gen/aiserver/v1/bidi_pb.ts';

/** Puts the appends of one run in order; they may arrive in any, and before the run itself. */
export class AppendInbox {
  /** Sequence numbers as they arrived. */
  readonly arrivals: number[] = [];
  readonly #early = new Map<number, AgentClientMessage>();
  #next = 0;
  #listener: ((message: AgentClientMessage) => void) | undefined;

  accept(append: BidiAppendRequest): void {
    const seqno = Number(append.appendSeqno);
    this.arrivals.push(seqno);
    if (seqno < this.#next) return; // a repetition
    this.#early.set(seqno, fromBinary(AgentClientMessageSchema, Buffer.from(append.data, 'hex')));
    this.#deliver();
  }

  listen(listener: (message: AgentClientMessage) => void): void {
    this.#listener = listener;
    this.#deliver();
  }

  #deliver(): void {
    for (;;) {
      const message = this.#early.get(this.#next);
      if (message === undefined || this.#listener === undefined) return;
      this.#early.delete(this.#next++);
      this.#listener(message);
    }
  }
}
