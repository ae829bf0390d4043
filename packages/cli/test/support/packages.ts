import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Source of a backend that does nothing but exist. */
export function backendSource(name: string, overrides = ''): string {
  return `export default {
  name: ${JSON.stringify(name)},
  contract: 1,
  traits: { title: 'Test place', isolation: 'none', startup: 'none', cost: 'free', persistence: 'none', goodFor: 'tests' },
  capabilities: {
    stdin: 'stream', streams: 'separate', bytes: 'bytes', terminal: false, files: 'derived', pause: false, snapshot: false, reattach: true,
    forward: false, network: ['open'], limits: [], gpu: false, idleStop: false, persistent: true, root: false,
  },
  options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
  secrets: [],
  check: async () => [{ id: 'test', status: 'ok', message: 'fine' }],
  create: async () => { throw new Error('not here'); },
  attach: async () => { throw new Error('not here'); },
  list: async () => [],
  destroy: async () => {},
  ${overrides}
};
`;
}

export interface PackageFiles {
  /** The text of package.json, or what it holds. */
  readonly manifest: string | Readonly<Record<string, unknown>>;
  readonly source?: string;
}

export async function writePackage(directory: string, { manifest, source }: PackageFiles): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'package.json'), typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
  if (source !== undefined) await writeFile(join(directory, 'index.js'), source);
}

/** A well-formed backend package. */
export function goodPackage(packageName: string, name: string, more: Readonly<Record<string, unknown>> = {}): PackageFiles {
  return {
    manifest: { name: packageName, version: '1.2.3', type: 'module', petasos: { backend: './index.js', name, contract: 1, ...more } },
    source: backendSource(name),
  };
}

export async function writeText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
