import { defineConfig } from 'vitest/config';

/**
 * All packages in one run, so that both the long and the short files of every package share the workers. As many workers as
 * processors: most of what the tests do is wait.
 */
export default defineConfig({
  test: { projects: ['packages/*/vitest.config.ts', 'tooling/*/vitest.config.ts'], maxWorkers: '100%' },
});
