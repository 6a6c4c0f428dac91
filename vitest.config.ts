import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/interop/**', 'test/reliability/**'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
  },
});
