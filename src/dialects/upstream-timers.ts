/** Time as a parameter: what waits for seconds is tested without waiting. */
export interface Timers {
  nowMs(): number;
  /** Runs `task` once after the delay; the returned function calls it off. */
  after(delayMs: number, task: () => void): () => void;
}

/** Keeps no process alive: an open socket does that, and without one there is nothing to watch. */
export const REAL_TIMERS: Timers = {
  nowMs: () => performance.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
