import { expect, it } from 'vitest';
import { onProcessExit } from './process-exit.ts';

it('hangs one hook on the process for all who ask, and none when all have left', () => {
  const before = process.listenerCount('exit');
  const takeBack = [1, 2, 3].map(() => onProcessExit(() => undefined));
  expect(process.listenerCount('exit')).toBe(before + 1);
  for (const leave of takeBack) leave();
  expect(process.listenerCount('exit')).toBe(before);
});
