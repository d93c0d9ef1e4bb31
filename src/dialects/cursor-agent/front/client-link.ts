import { setMaxListeners } from 'node:events';
import { GatewayError } from '../../../core/index.ts';
import type { MessageChannel, NativeContext } from '../../native-front.ts';
import type { Timers } from '../../upstream-timers.ts';
import type { AgentHost } from './agent-host.ts';
import { clientGone } from './client-gone.ts';
import { ExecRequests } from './exec-requests.ts';
import { KvRequests } from './kv-requests.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { QueryRequests } from './query-requests.ts';

/** One client's stream: what can be sent, what can be asked, and when it is over. */
export class ClientLink {
  readonly context: NativeContext;
  readonly host: AgentHost;
  readonly timers: Timers;
  readonly isRepeated: boolean;
  readonly outbox: Outbox;
  readonly exec: ExecRequests;
  readonly query: QueryRequests;
  readonly kv: KvRequests;
  /** Why the run ends early: the client left, said something that cannot be understood, or cancelled. */
  #fault: GatewayError | undefined;
  #isGone = false;
  readonly #stop = new AbortController();

  constructor(channel: MessageChannel, context: NativeContext, host: AgentHost, timers: Timers) {
    const { newId, onDrift } = context;
    setMaxListeners(0, this.#stop.signal); // every exec of a large round listens
    this.context = context;
    this.host = host;
    this.timers = timers;
    this.isRepeated = channel.isRepeated;
    this.outbox = createOutbox(channel, timers, () => this.lose());
    this.exec = new ExecRequests({ outbox: this.outbox, newId, onDrift });
    this.query = new QueryRequests(this.outbox, onDrift);
    this.kv = new KvRequests(this.outbox, timers);
  }

  /** Fires when the run must end, for whatever reason. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Nobody is there to be told anything. */
  get isGone(): boolean {
    return this.#isGone;
  }

  get fault(): GatewayError | undefined {
    return this.#fault;
  }

  /** Ends the run; what still waits for the client is called off one by one, and the client hears of it. */
  stop(fault: GatewayError): void {
    this.#fault ??= fault;
    this.#stop.abort();
  }

  /** The client is gone: nothing will be answered any more. */
  lose(): void {
    this.#isGone = true;
    const fault = clientGone();
    this.exec.fail(fault);
    this.query.fail(fault);
    this.kv.close();
    this.stop(fault);
  }

  /** Throws when the run must end. */
  check(): void {
    if (this.#fault) throw this.#fault;
  }

  /** Waits for something that may never come, for as long as the run may go on. */
  async unlessStopped<T>(promise: Promise<T>): Promise<T> {
    this.check();
    let onStop = () => {};
    const stopped = new Promise<never>((_, reject) => {
      onStop = () => reject(this.#fault ?? new GatewayError('cancelled', 'The stream was closed.'));
      this.signal.addEventListener('abort', onStop, { once: true });
    });
    try {
      return await Promise.race([promise, stopped]);
    } finally {
      this.signal.removeEventListener('abort', onStop);
    }
  }

  close(): void {
    this.outbox.close();
    this.exec.fail();
    this.query.fail();
    this.kv.close();
    this.#stop.abort();
  }
}
