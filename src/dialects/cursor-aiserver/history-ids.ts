// Call ids of a conversation that a client sends. They may hold a line break (`call_…` + newline + `fc_…`, seen in test
// data of two public projects) or be longer than model servers take, so the canon gets ids of its own.
import { createHash } from 'node:crypto';

/** What every model server takes. */
const SAFE_ID = /^[A-Za-z0-9_-]{1,64}$/;

export class HistoryIds {
  readonly #callIds = new Map<string, string>();
  readonly #wireIds = new Map<string, string>();

  /** The canon's id; the same for the same id of the wire, different for different ones. */
  read(wireId: string): string {
    const known = this.#callIds.get(wireId);
    if (known !== undefined) return known;
    let callId = SAFE_ID.test(wireId) ? wireId : shorten(wireId);
    // Somebody else's id may happen to look like one of ours.
    for (let round = 1; this.#wireIds.has(callId); round++) callId = shorten(`${wireId}#${round}`);
    this.#callIds.set(wireId, callId);
    this.#wireIds.set(callId, wireId);
    return callId;
  }

  /** The wire's id for a call of this conversation; a call that is new keeps its own. */
  wireIdOf(callId: string): string {
    return this.#wireIds.get(callId) ?? callId;
  }
}

function shorten(wireId: string): string {
  const legible = wireId.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 40);
  return `${legible}_${createHash('sha256').update(wireId).digest('hex').slice(0, 16)}`;
}
