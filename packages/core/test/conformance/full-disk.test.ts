import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import local from '../../../backend-local/src/index.js';
import { defineSubject, runConformance } from '../../src/conformance/index.js';
import type { FullDirectory } from '../../src/conformance/subject.js';

const kibibytes = 256;

/** A small file system of its own: undefined where nobody may mount one. */
function mountSmall(): FullDirectory | undefined {
  const path = mkdtempSync(join(tmpdir(), 'petasos-full-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'petasos-full', path]).status === 0;
  const release = async () => {
    if (mounted) spawnSync('umount', [path]);
    rmSync(path, { recursive: true });
  };
  if (mounted) return { path, bytes: kibibytes * 1024, release };
  void release();
  return undefined;
}

it('a full disk is told as such, where one can be made', async () => {
  const small = process.platform === 'linux' ? mountSmall() : undefined;
  const subject = defineSubject({ backend: local, faults: small ? { fullDirectory: async () => small } : {} });
  const { results } = await runConformance(subject, { scenarios: ['F4.no-space'] });
  const expected = small ? ['passed', ''] : ['not-declared', 'the subject has no hook fullDirectory'];
  expect(results.map((result) => [result.status, result.observed])).toEqual([expected]);
});
