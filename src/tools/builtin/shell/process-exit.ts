const listeners = new Set<() => void>();

function tellAll(): void {
  for (const listener of listeners) listener();
}

/**
 * Calls back when this program ends, however many ask: one hook for all, since Node takes many for a leak. Gives the
 * way to take it back.
 */
export function onProcessExit(listener: () => void): () => void {
  if (listeners.size === 0) process.on('exit', tellAll);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) process.off('exit', tellAll);
  };
}
