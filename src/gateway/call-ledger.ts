// What became of a conversation's calls, kept so that none runs twice when a client comes back after a cut.
import { createHash } from 'node:crypto';
import type { CallLedger } from '../agent/index.ts';
import type { AgentCall, CallResult, JsonObject, JsonValue } from '../core/index.ts';
import { isJsonObject } from '../core/index.ts';
import type { DocumentShelf } from '../dialects/dialect.ts';

const KIND = 'agent-call';
const ROUNDS_KIND = 'agent-rounds';

/** How many rounds back a client may resume: the one it was cut in, and one before. */
const KEPT_ROUNDS = 2;

export interface ConversationLedger extends CallLedger {
  /** A new round ends the memory of old ones: some models give the same id to one call after another. */
  openRound(calls: readonly AgentCall[]): Promise<void>;
}

/** Ids are the model's and may repeat in another conversation or with other arguments: those are other calls. */
export function createCallLedger(documents: DocumentShelf, conversation: string): ConversationLedger {
  const idOf = ({ callId, name, argumentsText }: AgentCall) =>
    createHash('sha256')
      .update(JSON.stringify([conversation, callId, name, argumentsText]))
      .digest('hex');
  return {
    async openRound(calls) {
      const round = calls.map(idOf);
      const kept = readRounds(await documents.get(ROUNDS_KIND, conversation));
      if (kept.some((ids) => ids.join() === round.join())) return;
      const rounds = [...kept, round];
      const gone = rounds.splice(0, Math.max(0, rounds.length - KEPT_ROUNDS)).flat();
      await documents.put(ROUNDS_KIND, conversation, { rounds });
      await Promise.all(gone.map((id) => documents.delete(KIND, id)));
    },
    async begin(call) {
      const id = idOf(call);
      const known = await documents.get(KIND, id);
      if (known === undefined) {
        await documents.put(KIND, id, {});
        return { state: 'new' };
      }
      return isJsonObject(known.result)
        ? { state: 'done', result: decodeResult(known.result) }
        : { state: 'interrupted' };
    },
    async finish(call, result) {
      await documents.put(KIND, idOf(call), { result: encodeResult(result) });
    },
  };
}

function readRounds(stored: JsonObject | undefined): string[][] {
  return (stored?.rounds ?? []) as unknown as string[][]; // written by openRound, under a key that nobody else writes
}

/** A result is plain data already; going through text drops what is undefined. */
function encodeResult(result: CallResult): JsonObject {
  return JSON.parse(JSON.stringify(result)) as JsonObject; // JSON of an object is an object
}

function decodeResult(stored: JsonValue): CallResult {
  return stored as unknown as CallResult; // written by encodeResult, under a key that nobody else writes
}
