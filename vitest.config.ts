import { defineConfig } from 'vitest/config';

/** All packages in one run, so that both the long and the short files of every package share the workers. */
export default defineConfig({ test: { projects: ['packages/*/vitest.config.ts', 'tooling/*/vitest.config.ts'] } });
