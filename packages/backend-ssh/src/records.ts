import { randomBytes } from 'node:crypto';
import {
  type CreateSpec,
  endProcessesArguments,
  isPetasosError,
  PetasosError,
  type SandboxListing,
  type SandboxRef,
} from '@petasos/core/backend';
import { describeTarget, type SshConnections } from './connection/index.js';

/** What the machine remembers of a sandbox, in a file of the user there: so every client sees it, from wherever. */
interface SandboxRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly workdir: string;
}

/** A sandbox of this machine, with the directory of its own files. */
export interface Place {
  readonly ref: SandboxRef;
  readonly workdir: string;
  readonly scratch: string;
}

/** Statuses that the scripts below end with. */
const taken = 3;
const noDirectory = 4;
const noRoom = 5;

/** Where records may lie: with the user's state, or where there is still room when that disk is full. */
const bases = `umask 077
bases() {
  u=$(id -u)
  for base in "\${XDG_STATE_HOME:-$HOME/.local/state}/petasos/ssh" "\${TMPDIR:-/tmp}/petasos-$u/ssh" "/dev/shm/petasos-$u/ssh"; do
    if [ -d "$base" ] && [ ! -O "$base" ]; then continue; fi
    "$@" && return
  done
  return 1
}
`;

/** $1 id, $2 name, $3 workdir, $4 the record up to its workdir. The record appears whole, and one of two that want its name wins. */
const createScript = `${bases}
case $3 in
  '') w=$HOME ;;
  /*) w=$3 ;;
  '~') w=$HOME ;;
  '~/'*) w=$HOME/\${3#??} ;;
  *) w=$HOME/$3 ;;
esac
id=$1 name=$2 record=$4
w=$(cd -- "$w" 2>/dev/null && pwd && printf x) || exit ${noDirectory}
w=\${w%??}
present() { [ -e "$base/$name.json" ]; }
bases present && exit ${taken}
add() {
  tries=3
  while [ $tries -gt 0 ]; do
    mkdir -p -- "$base/run/$id" 2>/dev/null && [ -O "$base" ] && break
    tries=$((tries - 1))
  done
  draft=$base/run/$id/record
  if printf '%s\\n%s\\n' "$record" "$w" >"$draft" && [ -s "$draft" ]; then
    if ln -- "$draft" "$base/$name.json" 2>/dev/null; then rm -f -- "$draft"; return 0; fi
    if [ ! -e "$base/$name.json" ] && (set -C; cat -- "$draft" >"$base/$name.json"); then rm -f -- "$draft"; return 0; fi
    rm -rf -- "$base/run/$id"
    exit ${taken}
  fi
  rm -rf -- "$base/run/$id"
  return 1
} 2>/dev/null
bases add || exit ${noRoom}
printf '%s\\n%s' "$base" "$w"`;

/** $1 name or nothing. Prints base, record and workdir of each. */
const listScript = `${bases}
name=$1
show() {
  for f in "$base/"\${name:-*}.json; do
    [ -f "$f" ] && [ -s "$f" ] && printf '%s\\n' "$base" && cat -- "$f"
  done
  return 1
}
bases show 2>/dev/null
exit 0`;

/** $1 id, $2 name, $3… the program that ends the processes of the sandbox. */
const destroyScript = `${bases}
id=$1 name=$2
shift 2
retire() {
  grep -q "\\"id\\":\\"$id\\"" "$base/$name.json" && rm -f -- "$base/$name.json"
  mv -- "$base/run/$id" "$base/run/.gone.$id"
  return 1
} 2>/dev/null
bases retire
"$@" >/dev/null 2>&1
sweep() {
  rm -rf -- "$base/run/.gone.$id"
  rmdir -- "$base/run" "$base" "\${base%/*}"
  return 1
} 2>/dev/null
bases sweep
exit 0`;

/** @throws `sandbox-exists`, `cwd-not-found`, `no-space` */
export async function createRecord(connections: SshConnections, spec: CreateSpec, workdir: string | undefined): Promise<Place> {
  const id = randomBytes(16).toString('hex');
  const { name, labels } = spec;
  const record = JSON.stringify({ id, name, createdAt: new Date().toISOString(), labels });
  const { exitCode, stdout } = await connections.run(createScript, [id, name, workdir ?? '', record]);
  const where = describeTarget(connections.target);
  const details = { backend: 'ssh', operation: 'create' };
  if (exitCode === taken) throw new PetasosError('sandbox-exists', `${where} already has a sandbox named ${name}`, details);
  if (exitCode === noDirectory) {
    throw new PetasosError('cwd-not-found', `the directory ${workdir ?? '~'} cannot be entered on ${where}`, {
      ...details,
      data: { cwd: workdir ?? '~' },
      remedy: 'Create it there or choose another workdir.',
    });
  }
  if (exitCode !== 0) {
    throw new PetasosError('no-space', `${where} has no place for the records of a sandbox`, {
      ...details,
      remedy: 'Make room below the home directory or in the temporary directory there.',
    });
  }
  const [base = '', ...directory] = stdout.toString('utf8').split('\n');
  return placeOf(id, name, base, directory.join('\n'));
}

/** The sandboxes of the user on that machine, or the one of this name. */
export async function listRecords(connections: SshConnections, name = ''): Promise<readonly SandboxListing[]> {
  const { stdout } = await connections.run(listScript, [name]);
  const lines = stdout.toString('utf8').split('\n');
  const found: SandboxListing[] = [];
  for (let at = 0; at + 2 < lines.length; at += 3) {
    const [base = '', text = '', workdir = ''] = lines.slice(at, at + 3);
    const record = parseRecord(connections, text);
    found.push({
      ref: placeOf(record.id, record.name, base, workdir).ref,
      state: 'running',
      createdAt: new Date(record.createdAt),
      owner: record.labels['petasos.owner'] ?? '',
      labels: record.labels,
    });
  }
  return found;
}

export async function removeRecord(connections: SshConnections, ref: SandboxRef): Promise<void> {
  await connections.run(destroyScript, [ref.id, ref.name, ...endProcessesArguments(ref.id, 200)]);
}

/** The place that a ref names; another process may have made the ref. */
export function placeOfRef(ref: SandboxRef): Place {
  return placeOf(ref.id, ref.name, String(ref.data?.['base'] ?? ''), String(ref.data?.['workdir'] ?? '/'));
}

function placeOf(id: string, name: string, base: string, workdir: string): Place {
  return { ref: { backend: 'ssh', id, name, data: { base, workdir } }, workdir, scratch: `${base}/run/${id}` };
}

function parseRecord(connections: SshConnections, text: string): Omit<SandboxRecord, 'workdir'> {
  try {
    return JSON.parse(text) as Omit<SandboxRecord, 'workdir'>;
  } catch (cause) {
    if (isPetasosError(cause)) throw cause;
    throw new PetasosError('place-failed', `a record of a sandbox on ${describeTarget(connections.target)} is damaged`, {
      backend: 'ssh',
      operation: 'list',
      remedy: 'Look at the files below ~/.local/state/petasos/ssh there, and remove what is damaged.',
      cause,
    });
  }
}
