import { defineConfig } from 'tsup';
import { keepLicense, library, rawText } from '../../tsup.shared.js';

export default defineConfig({
  ...library,
  entry: {
    index: 'src/index.ts',
    backend: 'src/backend.ts',
    'sandbox/index': 'src/sandbox/index.ts',
    'approval/index': 'src/approval/index.ts',
    'conformance/index': 'src/conformance/index.ts',
    'conformance/vitest': 'src/conformance/vitest.ts',
    'testing/index': 'src/testing/index.ts',
  },
  splitting: true,
  // Every command is judged: as one file of its own the parser costs each start of a program more than all of core.
  noExternal: ['unbash'],
  esbuildPlugins: [rawText],
  onSuccess: () => keepLicense('unbash'),
});
