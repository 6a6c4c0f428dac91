import { defineConfig } from 'vitest/config';

/** Brokers that are killed, and stores that are damaged: one test after another, apart from `npm test`. */
export default defineConfig({
  test: {
    include: ['test/reliability/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 60_000,
  },
});
