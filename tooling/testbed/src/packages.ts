import { existsSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { command, findProgram } from './command.js';
import type { Need } from './service.js';

const startPolicy = '/usr/sbin/policy-rc.d';

/**
 * Brings the programs that are missing: with apt-get as root on Debian; elsewhere the error names them.
 * @throws Error that says what to install.
 */
export async function installMissing(needs: readonly Need[], log: (line: string) => void): Promise<void> {
  const missing = needs.filter(({ program }) => findProgram(program) === undefined);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map(({ debianPackage }) => debianPackage))];
  if (process.getuid?.() !== 0 || findProgram('apt-get') === undefined) {
    throw new Error(
      `${missing.map(({ program }) => program).join(', ')} not found; install them first (on Debian: apt-get install ${packages.join(' ')})`,
    );
  }
  log(`installing ${packages.join(' ')}`);
  await withoutAutostart(async () => {
    try {
      await install(packages);
    } catch {
      // A new machine has no lists, an old one has lists that name versions which are gone.
      await command('apt-get', ['-q', 'update']);
      await install(packages);
    }
  });
}

async function install(packages: readonly string[]): Promise<void> {
  await command('apt-get', ['-q', '-y', '--no-install-recommends', 'install', ...packages], { env: { DEBIAN_FRONTEND: 'noninteractive' } });
}

/** Debian starts a daemon that it installs; the testbed wants the program, not a server on the machine's own port. */
async function withoutAutostart(action: () => Promise<void>): Promise<void> {
  if (existsSync(startPolicy)) return action();
  await writeFile(startPolicy, '#!/bin/sh\nexit 101\n');
  await chmod(startPolicy, 0o755);
  try {
    await action();
  } finally {
    await rm(startPolicy, { force: true });
  }
}
