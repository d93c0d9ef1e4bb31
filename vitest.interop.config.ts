// The opt-in suite with published clients; see docs/interop.md.
import { defineConfig } from 'vitest/config';
import { TableReporter } from './test/interop/support/table-reporter.ts';

export default defineConfig({
  test: {
    name: 'interop',
    pool: 'forks',
    include: ['test/interop/**/*.test.ts'],
    globalSetup: ['test/interop/support/build-unless-named.ts'],
    // Clients are timed, and two at once would time each other.
    fileParallelism: false,
    reporters: ['default', new TableReporter()],
    testTimeout: 400_000, // two minutes each for setting a client up, its run and a second one that resumes it
    hookTimeout: 600_000, // the first run of a client installs it
  },
});
