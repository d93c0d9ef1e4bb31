import type { IdSource, TurnEvent, TurnRequest } from '../core/index.ts';
import { TurnFold, type TurnResult } from '../core/index.ts';
import type { Gateway, TurnInput } from './gateway.ts';
import type { Route } from './model-router.ts';

/** In whose name turns run. */
export interface Caller {
  /** A key id, or nothing without keys. */
  readonly owner: string;
  readonly allowedModels?: readonly string[] | undefined;
}

export interface AgentModelOptions {
  readonly gateway: Gateway;
  readonly newId: IdSource;
  readonly front: string;
  readonly caller: Caller;
  /** Where the model is, when the request brought its own. */
  readonly route?: Route | undefined;
}

/** The gateway as a loop sees it: every step is a turn of its own, with the caller's key, models and limits. */
export class AgentModel {
  readonly #options: AgentModelOptions;

  constructor(options: AgentModelOptions) {
    this.#options = options;
  }

  async *openTurn(request: TurnRequest, signal: AbortSignal): AsyncGenerator<readonly TurnEvent[]> {
    const turn = await this.#options.gateway.runTurn(this.#input(request, signal));
    for await (const batch of turn.batches) yield batch.events;
  }

  /** A whole answer; throws the turn's error. */
  async ask(request: TurnRequest, signal: AbortSignal): Promise<TurnResult> {
    const fold = new TurnFold();
    for await (const events of this.openTurn(request, signal)) for (const event of events) fold.add(event);
    const result = fold.result();
    if (result.error) throw result.error;
    return result;
  }

  #input(request: TurnRequest, signal: AbortSignal): TurnInput {
    const { caller, front, route, newId } = this.#options;
    return {
      turnId: newId('turn_'),
      front,
      request,
      body: new Uint8Array(0), // a step is of our own making: there are no bytes to pass on
      keyId: caller.owner === '' ? undefined : caller.owner,
      allowedModels: caller.allowedModels,
      route,
      signal,
    };
  }
}
