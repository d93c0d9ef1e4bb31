import { GatewayError, type IdSource, TurnFold, type TurnRequest } from '../core/index.ts';
import type { FrontServices } from '../dialects/dialect.ts';
import { shelfOf } from '../gateway/document-shelf.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { DocumentStore } from '../store/index.ts';
import type { Identity } from './auth.ts';

export interface ServicesOptions {
  readonly gateway: Gateway;
  readonly documents: DocumentStore;
  readonly newId: IdSource;
  readonly nowMs: () => number;
}

export interface ServicesFor {
  readonly front: string;
  readonly identity: Identity;
  readonly signal: AbortSignal;
}

/** What one request's front may ask of the gateway: its caller's documents, its caller's models. */
export function createFrontServices(options: ServicesOptions, request: ServicesFor): FrontServices {
  const { gateway, documents, newId } = options;
  const { front, identity, signal } = request;
  const { keyId, allowedModels } = identity;
  const input = (turn: TurnRequest) => {
    const body = new Uint8Array(0); // a turn of the front's own making has no bytes to pass on
    return { turnId: newId('turn_'), front: `${front}+`, request: turn, body, keyId, allowedModels, signal };
  };
  return {
    newId,
    nowMs: options.nowMs(),
    documents: shelfOf(documents, keyId ?? ''),
    async runTurn(turn) {
      const running = await gateway.runTurn(input(turn));
      const fold = new TurnFold();
      for await (const batch of running.batches) for (const event of batch.events) fold.add(event);
      const result = fold.result();
      if (result.error) throw result.error;
      return result;
    },
    countTokens: (turn) => gateway.countTokens(input(turn)).catch(unlessRefused),
  };
}

/** A counter that is down is no reason to fail; a model that may not be used is. */
function unlessRefused(thrown: unknown): undefined {
  const error = GatewayError.from(thrown);
  if (error.code.startsWith('upstream-') || error.code === 'deadline-exceeded') return undefined;
  throw error;
}
