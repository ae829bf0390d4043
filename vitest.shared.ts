import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Tests read the sources of the workspace, so that a stale build can never make them pass. */
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@petasos\/core$/, replacement: source('packages/core/src/index.ts') },
      { find: /^@petasos\/core\/backend$/, replacement: source('packages/core/src/backend.ts') },
      { find: /^@petasos\/core\/sandbox$/, replacement: source('packages/core/src/sandbox/index.ts') },
      { find: /^@petasos\/core\/approvals$/, replacement: source('packages/core/src/approval/index.ts') },
      { find: /^@petasos\/core\/conformance$/, replacement: source('packages/core/src/conformance/index.ts') },
      { find: /^@petasos\/core\/conformance\/vitest$/, replacement: source('packages/core/src/conformance/vitest.ts') },
      { find: /^@petasos\/core\/testing$/, replacement: source('packages/core/src/testing/index.ts') },
      { find: /^@petasos\/backend-ssh\/connection$/, replacement: source('packages/backend-ssh/src/connection/index.ts') },
      { find: /^@petasos\/backend-(\w+)$/, replacement: source('packages/backend-$1/src/index.ts') },
    ],
  },
  test: { include: ['test/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
});
