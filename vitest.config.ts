import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/interop/**', 'test/reliability/**'],
    setupFiles: ['test/support/quiet.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
  },
});
