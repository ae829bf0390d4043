import type { Program } from '../program.js';
import { accounts } from './accounts.js';
import { archives } from './archives.js';
import { backup } from './backup.js';
import { buildTools } from './build-tools.js';
import { builtins } from './builtins.js';
import { cloud } from './cloud.js';
import { containers } from './containers.js';
import { databasesOther } from './databases-other.js';
import { databasesSql } from './databases-sql.js';
import { desktop } from './desktop.js';
import { disks } from './disks.js';
import { documents } from './documents.js';
import { editors } from './editors.js';
import { filesystem } from './filesystem.js';
import { forges } from './forges.js';
import { gitPrograms } from './git.js';
import { hostNetwork } from './host-network.js';
import { infrastructure } from './infrastructure.js';
import { interpreters } from './interpreters.js';
import { kernel } from './kernel.js';
import { keys } from './keys.js';
import { kubernetes } from './kubernetes.js';
import { launchers } from './launchers.js';
import { make } from './make.js';
import { messaging } from './messaging.js';
import { migrations } from './migrations.js';
import { packagesLanguages } from './packages-languages.js';
import { packagesNode } from './packages-node.js';
import { packagesPython } from './packages-python.js';
import { packagesSystem } from './packages-system.js';
import { petasos } from './petasos.js';
import { platforms } from './platforms.js';
import { powerAndServices } from './power-and-services.js';
import { privilege } from './privilege.js';
import { remoteShells } from './remote-shells.js';
import { search } from './search.js';
import { secrets } from './secrets.js';
import { shells } from './shells.js';
import { sockets } from './sockets.js';
import { storage } from './storage.js';
import { text } from './text.js';
import { textViewers } from './text-viewers.js';
import { toolchains } from './toolchains.js';
import { transfer } from './transfer.js';
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
  textViewers,
  git: gitPrograms,
  interpreters,
  containers,
  kubernetes,
  powerAndServices,
  accounts,
  hostNetwork,
  kernel,
  desktop,
  keys,
  disks,
  storage,
  backup,
  packagesNode,
  packagesPython,
  packagesLanguages,
  packagesSystem,
  toolchains,
  databasesSql,
  databasesOther,
  messaging,
  migrations,
  make,
  buildTools,
  archives,
  editors,
  documents,
  forges,
  platforms,
  secrets,
  transfer,
  sockets,
  remoteShells,
  cloud,
  infrastructure,
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
