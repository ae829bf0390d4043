import { readdirSync } from 'node:fs';
import type { EmulatorLayer } from './emulator.js';

const layersDirectory = new URL('..', import.meta.url);

/** Names of the clouds: the folders beside `core`. */
export function layerNames(): string[] {
  return readdirSync(layersDirectory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'core')
    .map(({ name }) => name);
}

export async function loadLayer(name: string): Promise<EmulatorLayer<object>> {
  if (!layerNames().includes(name)) throw new Error(`there is no emulator of ${name}; there are: ${layerNames().join(', ')}`);
  const module = (await import(new URL(`${name}/index.ts`, layersDirectory).href)) as { default: EmulatorLayer<object> };
  return module.default;
}
