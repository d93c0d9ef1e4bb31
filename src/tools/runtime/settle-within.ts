/** Waits for work; once the signal aborts, only for a while longer. */
export function settleWithin<T>(work: Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      timer = setTimeout(() => reject(signal.reason), graceMs);
    };
    const tidy = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(tidy);
  });
}
