import { defineConfig } from 'vitest/config';

// Two shared cores: a generous limit keeps a noisy neighbour from looking like a bug.
const shared = { testTimeout: 30_000, hookTimeout: 30_000, setupFiles: ['test/support/fixed-seed.ts'] };

export default defineConfig({
  test: {
    pool: 'forks',
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts', 'test/*.test.ts'], ...shared } },
      {
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts', 'test/fuzz/**/*.test.ts'],
          ...shared,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/build-program.ts'],
          ...shared,
        },
      },
    ],
  },
});
