import type { AgentClientMessage } from '../../../src/gen/agent/v1/run_pb.ts';

/** Thrown into a script that waits for a client that has gone. */
export class RunClosed extends Error {
  constructor() {
    super('The client has gone.');
  }
}

interface Waiter {
  readonly matches: (message: AgentClientMessage) => boolean;
  readonly resolve: (message: AgentClientMessage) => void;
  readonly reject: (error: Error) => void;
}

/** What a client has sent; a script takes from it what it waits for, in whatever order that comes. */
export class ClientInbox {
  /** Everything, in order. */
  readonly all: AgentClientMessage[] = [];
  readonly #untaken: AgentClientMessage[] = [];
  readonly #beginners: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #waiters: Waiter[] = [];
  #isClosed = false;

  /** Resolves with the first message, which stays; rejects when the client goes without a word. */
  whenBegun(): Promise<void> {
    if (this.all.length > 0) return Promise.resolve();
    if (this.#isClosed) return Promise.reject(new RunClosed());
    return new Promise((resolve, reject) => this.#beginners.push({ resolve, reject }));
  }

  put(message: AgentClientMessage): void {
    this.all.push(message);
    for (const { resolve } of this.#beginners.splice(0)) resolve();
    const waiter = this.#waiters.find(({ matches }) => matches(message));
    if (waiter === undefined) {
      this.#untaken.push(message);
      return;
    }
    this.#waiters = this.#waiters.filter((other) => other !== waiter);
    waiter.resolve(message);
  }

  /** The oldest untaken message that matches, or the next one to come. */
  take(matches: (message: AgentClientMessage) => boolean): Promise<AgentClientMessage> {
    const index = this.#untaken.findIndex(matches);
    const [found] = index === -1 ? [] : this.#untaken.splice(index, 1);
    if (found !== undefined) return Promise.resolve(found);
    if (this.#isClosed) return Promise.reject(new RunClosed());
    return new Promise((resolve, reject) => this.#waiters.push({ matches, resolve, reject }));
  }

  close(): void {
    this.#isClosed = true;
    for (const { reject } of [...this.#waiters, ...this.#beginners.splice(0)]) reject(new RunClosed());
    this.#waiters = [];
  }
}
