/** The work's outcome, or the error of `onAbort` as soon as the signal fires; the work itself goes on. */
export function orAbort<T>(work: Promise<T>, signal: AbortSignal, onAbort: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = () => reject(onAbort());
    if (signal.aborted) {
      work.catch(() => undefined); // nobody is left to hear of it
      return cancel();
    }
    signal.addEventListener('abort', cancel, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancel));
  });
}
