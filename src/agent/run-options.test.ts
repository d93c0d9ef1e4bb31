import { expect, it, vi } from 'vitest';
import { systemTimer } from './run-options.ts';

it('a time limit of more than 24 days does not end the run at once', () => {
  const setTimer = vi.spyOn(globalThis, 'setTimeout');
  try {
    systemTimer(2 ** 40, () => {})();
    expect(setTimer).toHaveBeenCalledWith(expect.any(Function), 2 ** 31 - 1);
  } finally {
    setTimer.mockRestore();
  }
});
