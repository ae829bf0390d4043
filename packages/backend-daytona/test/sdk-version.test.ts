import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { sdkPackage, sdkVersion } from '../src/client.js';

const require = createRequire(import.meta.url);

it('the SDK is the one that everything was proven with, here and in the emulator', async () => {
  const installed = require(`${sdkPackage}/package.json`) as { version: string };
  const own = require('../package.json') as { dependencies: Record<string, string> };
  const emulator = await readFile(new URL('../../../tooling/emulators/src/daytona/index.ts', import.meta.url), 'utf8');
  expect([installed.version, own.dependencies[sdkPackage]]).toEqual([sdkVersion, sdkVersion]);
  expect(emulator).toContain(`sdkVersion = '${sdkVersion}'`);
});
