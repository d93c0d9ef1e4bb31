import { currentCallId } from '../../tools/runtime/current-call.ts';

/** Which calls a server is working on: what it asks the user meanwhile belongs to one of them. */
export class CallsInFlight {
  readonly #calls = new Map<string, string[]>();

  async track<T>(server: string, work: () => Promise<T>): Promise<T> {
    const callId = currentCallId() ?? '';
    this.#calls.set(server, [...(this.#calls.get(server) ?? []), callId]);
    try {
      return await work();
    } finally {
      const left = [...(this.#calls.get(server) ?? [])];
      left.splice(left.indexOf(callId), 1);
      if (left.length === 0) this.#calls.delete(server);
      else this.#calls.set(server, left);
    }
  }

  /** Undefined where the server works on several, or on none. */
  callOf(server: string): string | undefined {
    const [callId, ...others] = this.#calls.get(server) ?? [];
    return others.length === 0 && callId !== '' ? callId : undefined;
  }
}
