import type { Program } from '../program.js';
import { build } from './build.js';
import { builtins } from './builtins.js';
import { cloud } from './cloud.js';
import { containers } from './containers.js';
import { databases } from './databases.js';
import { filesystem } from './filesystem.js';
import { gitPrograms } from './git.js';
import { interpreters } from './interpreters.js';
import { kubernetes } from './kubernetes.js';
import { launchers } from './launchers.js';
import { network } from './network.js';
import { packages } from './packages.js';
import { petasos } from './petasos.js';
import { platforms } from './platforms.js';
import { privilege } from './privilege.js';
import { search } from './search.js';
import { shells } from './shells.js';
import { disks, system } from './system.js';
import { text } from './text.js';
import { wrappers } from './wrappers.js';

/** Everything that is known about programs, by domain. */
export const domains: Readonly<Record<string, readonly Program[]>> = {
  builtins,
  shells,
  wrappers,
  launchers,
  privilege,
  filesystem,
  search,
  text,
  git: gitPrograms,
  interpreters,
  network,
  containers,
  kubernetes,
  system,
  disks,
  build,
  packages,
  databases,
  cloud,
  platforms,
  petasos,
};

const byName = new Map<string, Program>();
for (const programs of Object.values(domains))
  for (const program of programs) for (const name of program.names) if (!byName.has(name)) byName.set(name, program);

/** Names that carry a version or a format: `python3.12`, `mkfs.ext4`, `gcc-13`, `cmd.exe`. */
function family(name: string): string | undefined {
  if (name.length > 40) return undefined;
  const plain = name.replace(/\.exe$/i, '');
  if (plain !== name) return plain;
  if (/^mkfs\.\w+$/.test(name)) return 'mkfs';
  if (/^fsck\.\w+$/.test(name)) return 'fsck';
  if (/^ld-(?:linux|musl)/.test(name)) return 'ld.so';
  if (/^qemu-(?:\w+)(?:-static)?$/.test(name)) return 'qemu-user';
  return /^([a-zA-Z+]+?)-?\d+(?:\.\d+)*$/.exec(name)?.[1];
}

/** What is known about a program, by its basename. */
export function programFor(name: string): Program | undefined {
  const known = byName.get(name);
  if (known) return known;
  const other = family(name);
  return other === undefined ? undefined : byName.get(other);
}

export const knownNames = (): Iterable<string> => byName.keys();
