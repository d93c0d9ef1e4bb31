import type { TurnEvent, TurnRequest } from '../core/index.ts';

/** Where a run's model is. The loop knows neither the upstream nor its dialect. */
export interface ModelPort {
  /**
   * Runs one turn; what arrived together comes together. Throws a GatewayError while nothing has been answered,
   * afterwards ends with `turn-end` or `turn-error`. An aborted signal or a reader that leaves stops the turn.
   */
  openTurn(request: TurnRequest, signal: AbortSignal): AsyncIterable<readonly TurnEvent[]>;
}
