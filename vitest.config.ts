import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'forks',
    // Two shared cores: a generous limit keeps a noisy neighbour from looking like a bug.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
