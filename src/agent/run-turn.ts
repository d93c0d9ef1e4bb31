import { type AgentEvent, GatewayError, type TurnEvent, type TurnRequest } from '../core/index.ts';
import type { CallIds } from './call-ids.ts';
import { countCharacters, countTools } from './context-size.ts';
import type { ModelPort } from './model-port.ts';
import { nameModel } from './name-model.ts';
import { type TurnOutcome, TurnWatch } from './turn-watch.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface RunTurnOptions {
  readonly model: ModelPort;
  readonly request: TurnRequest;
  readonly ids: CallIds;
  readonly signal: AbortSignal;
}

/**
 * One turn of the model: its events as they come, then what it came to. A turn that failed or was cancelled is an
 * outcome with an error, since it was paid for all the same; every span that it opened is closed first.
 */
export async function* runTurn(options: RunTurnOptions): AsyncGenerator<AgentEvent, TurnOutcome, undefined> {
  const { model, request, signal } = options;
  const watch = new TurnWatch(options.ids);
  const inputCharacters = () => countCharacters(request.messages) + countTools(request.tools);
  let stream: AsyncIterator<readonly TurnEvent[]> | undefined;
  try {
    stream = model.openTurn(request, signal)[Symbol.asyncIterator]();
    while (!watch.isOver) {
      signal.throwIfAborted();
      const next = await unlessAborted(stream.next(), signal);
      if (next.done) {
        throw new GatewayError(
          'upstream-malformed',
          `The stream of ${nameModel(request.model)} ended in the middle of its answer. Send the message again, or try another model.`,
        );
      }
      const events = watch.take(next.value);
      if (events.length > 0) yield { type: 'turn-events', events };
    }
    return watch.outcome(inputCharacters);
  } catch (thrown) {
    const closing = watch.close();
    if (closing.length > 0) yield { type: 'turn-events', events: closing };
    return watch.outcome(inputCharacters, GatewayError.from(thrown));
  } finally {
    leave(stream);
  }
}

/** Not awaited: a stream that hangs must not hold up a run that has left it. */
function leave(stream: AsyncIterator<unknown> | undefined): void {
  Promise.resolve(stream?.return?.()).catch(() => {
    // It failed while nobody read it any more; what counted was the outcome.
  });
}
