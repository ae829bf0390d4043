import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { main: 'src/main.ts' },
  format: ['esm'],
  dts: false,
  sourcemap: true,
  clean: true,
  splitting: true,
  target: 'node20',
});
