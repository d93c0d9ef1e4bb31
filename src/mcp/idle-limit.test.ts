import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { IdleLimit } from './idle-limit.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it('fires after a silence, and signs of life put it off', () => {
  const fire = vi.fn();
  const limit = new IdleLimit(100, fire);
  vi.advanceTimersByTime(90);
  limit.touch();
  vi.advanceTimersByTime(90);
  expect(fire).not.toHaveBeenCalled();
  vi.advanceTimersByTime(10);
  expect(fire).toHaveBeenCalledOnce();
});

it('stands still while the user is asked, even by two questions at once', () => {
  const fire = vi.fn();
  const limit = new IdleLimit(100, fire);
  limit.pause();
  limit.pause();
  limit.resume();
  limit.touch();
  vi.advanceTimersByTime(10_000);
  expect(fire).not.toHaveBeenCalled();
  limit.resume();
  vi.advanceTimersByTime(100);
  expect(fire).toHaveBeenCalledOnce();
});

it('never fires once it was stopped, and leaves no timer behind', () => {
  const fire = vi.fn();
  const limit = new IdleLimit(100, fire);
  limit.stop();
  limit.touch();
  limit.resume();
  expect(vi.getTimerCount()).toBe(0);
  expect(fire).not.toHaveBeenCalled();
});
