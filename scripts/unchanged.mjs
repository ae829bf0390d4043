import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { root, tool } from './run.mjs';

/** Where the counts of passed runs are kept, one file a package and part, so that what has not changed need not run twice. */
const kept = join(root, 'node_modules', '.cache', 'petasos-tests');

/**
 * What a package's tests read of the repository, as one hash a package: its files, those of the packages it depends on, the lockfile and the shared
 * configuration, with Node and the kernel. What `turbo.json` says of the task `test` decides.
 * @returns {Promise<Map<string, string>>} package name to hash
 */
export async function hashOfTests() {
  const machine = `${process.version} ${process.platform} ${process.arch} ${release()}`;
  const { code, output } = await tool('turbo', ['run', 'test', '--dry=json'], { capture: true, env: { PETASOS_TEST_MACHINE: machine } });
  if (code !== 0) throw new Error(`turbo cannot tell what the tests read:\n${output}`);
  const { tasks } = JSON.parse(output.slice(output.indexOf('{')));
  return new Map(tasks.filter(({ task }) => task === 'test').map((each) => [each.package, each.hash]));
}

const fileOf = (name, part) => join(kept, `${name.replace('/', '-')}.${part}.json`);

/** @returns {{ passed: number, at: string } | undefined} the counts of the same tests on the same files, when all of them passed */
export function passedBefore(name, part, hash) {
  try {
    const record = JSON.parse(readFileSync(fileOf(name, part), 'utf8'));
    return record.hash === hash && Number.isInteger(record.passed) ? record : undefined;
  } catch {
    return undefined;
  }
}

export function keepPassed(name, part, hash, passed) {
  mkdirSync(kept, { recursive: true });
  writeFileSync(fileOf(name, part), JSON.stringify({ hash, passed, at: new Date().toISOString() }));
}

/** Before a run, so that one that is interrupted is not taken for one that passed. */
export function forgetPassed(name, part) {
  rmSync(fileOf(name, part), { force: true });
}
