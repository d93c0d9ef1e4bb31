/**
 * Waits for the work, or rejects with the signal's reason as soon as it fires. The work itself may go on: whoever
 * does it holds the same signal, and what becomes of it then is nobody's concern.
 */
export function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const leave = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(
      (value) => {
        leave();
        resolve(value);
      },
      (thrown: unknown) => {
        leave();
        reject(thrown);
      },
    );
  });
}
