import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startRegistry } from '../../src/registry.js';
import { type Published, release } from '../../src/release.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Variables for every npm that is to install from the local registry. */
    registry: Readonly<Record<string, string>>;
    registryUrl: string;
    published: readonly Published[];
  }
}

/** One release to a registry of this machine; every test installs from it what a user would. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'petasos-release-'));
  const registry = await startRegistry(join(directory, 'registry'));
  const stop = async () => {
    await registry.stop();
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    project.provide('published', await release(registry, directory));
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('registry', registry.env);
  project.provide('registryUrl', registry.url);
  return stop;
}
