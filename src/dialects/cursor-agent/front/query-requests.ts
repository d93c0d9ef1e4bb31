import type { GatewayError } from '../../../core/index.ts';
import type { InteractionResponse } from '../../../gen/agent/v1/interaction_query_pb.ts';
import type { Query, QueryAnswer } from '../../../native/remote-port.ts';
import { calledOff, clientGone } from './client-gone.ts';
import type { Outbox } from './outbox.ts';
import { queryFrame } from './server-frames.ts';

interface OpenQuery {
  readonly resolve: (answer: QueryAnswer) => void;
  readonly reject: (error: GatewayError) => void;
}

/** Questions to the client's user; their ids are counted apart from those of execs. */
export class QueryRequests {
  readonly #outbox: Outbox;
  readonly #onDrift: (kind: string) => void;
  readonly #open = new Map<number, OpenQuery>();
  #lastId = 0;
  #failure: GatewayError | undefined;

  constructor(outbox: Outbox, onDrift: (kind: string) => void) {
    this.#outbox = outbox;
    this.#onDrift = onDrift;
  }

  async ask(query: Query, signal: AbortSignal): Promise<QueryAnswer> {
    const what = `The question ${query.case ?? 'without a kind'}`;
    if (this.#failure) throw this.#failure;
    if (signal.aborted) throw calledOff(what);
    const id = ++this.#lastId;
    const answer = new Promise<QueryAnswer>((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
    });
    const onAbort = () => this.#take(id)?.reject(calledOff(what));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      this.#outbox.post(queryFrame({ id, query }));
      return await answer;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  receive({ id, result, $unknown }: InteractionResponse): void {
    if (result.case === undefined && $unknown) this.#onDrift('interaction_response of an unknown kind');
    if (id > this.#lastId) this.#onDrift('interaction_response to a question that was never asked');
    this.#take(id)?.resolve(result);
  }

  fail(error: GatewayError = clientGone()): void {
    this.#failure ??= error;
    for (const id of [...this.#open.keys()]) this.#take(id)?.reject(error);
  }

  #take(id: number): OpenQuery | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    return open;
  }
}
