// Which call the code that runs now belongs to. Questions to the user come up deep inside tools and connections, which
// know nothing of calls; whoever asks is told with it what the question is about.
import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string>();

export function runInCall<T>(callId: string, work: () => T): T {
  return current.run(callId, work);
}

/** Undefined outside of every call. */
export function currentCallId(): string | undefined {
  return current.getStore();
}
