import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { FileTree } from './tree.js';

/**
 * Makes the tree in $1 the root and stays as its first process: it takes over orphans and reaps them, and its end, when the emulator lets
 * go of stdin or dies, is the end of every process in the sandbox. The rest are triples: source, target, `ro` or `rw`.
 */
const hold = `set -e
root=$1
shift
mount --bind "$root" "$root"
while [ $# -gt 0 ]; do
  mount --bind "$1" "$root$2"
  [ "$3" = rw ] || mount -o remount,bind,ro "$root$2" 2>/dev/null || :
  shift 3
done
mount --rbind /dev "$root/dev"
mount --bind /sys "$root/sys" 2>/dev/null || :
mount -t proc proc "$root/proc"
ip link set lo up 2>/dev/null || :
cd "$root"
exec chroot "$root" /bin/sh -c 'exec 3<&0; echo ready; cat <&3 >/dev/null & wait "$!"'`;

const privileged = process.getuid?.() === 0;
const ownUser = privileged ? [] : ['--user', '--map-root-user'];

let possible: boolean | undefined;

/** Whether this machine allows the namespaces that an emulated sandbox lives in: as root on Linux, or as a user where that is allowed. */
export function namespacesAvailable(): boolean {
  if (possible === undefined) {
    try {
      execFileSync('unshare', [...ownUser, '--mount', '--pid', '--fork', 'mount', '-t', 'proc', 'proc', '/proc'], {
        stdio: 'ignore',
        timeout: 10_000,
      });
      possible = true;
    } catch {
      possible = false;
    }
  }
  return possible;
}

/** The running part of a sandbox: namespaces for its files and processes, and for its network where it has none. */
export class Namespace {
  readonly #holder: ChildProcess;
  readonly #pid: number;
  readonly #offline: boolean;
  readonly ended: Promise<void>;

  private constructor(holder: ChildProcess, pid: number, offline: boolean) {
    this.#holder = holder;
    this.#pid = pid;
    this.#offline = offline;
    this.ended = new Promise((resolve) => {
      if (holder.exitCode !== null || holder.signalCode !== null) resolve();
      else holder.once('exit', () => resolve());
    });
  }

  static async start(tree: FileTree, options: { readonly offline?: boolean | undefined } = {}): Promise<Namespace> {
    if (!namespacesAvailable()) throw new Error('emulated sandboxes need Linux namespaces: run as root, or allow unprivileged ones');
    const offline = options.offline ?? false;
    const binds = tree.binds.flatMap(({ source, target, readOnly }) => [source, target, readOnly ? 'ro' : 'rw']);
    const kinds = [...ownUser, '--mount', '--pid', ...(offline ? ['--net'] : []), '--fork', '--kill-child'];
    const holder = spawn('unshare', [...kinds, '/bin/sh', '-c', hold, 'hold', tree.root, ...binds], { detached: true });
    let said = '';
    holder.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await new Promise<void>((resolve, reject) => {
      holder.once('error', reject);
      holder.once('exit', (code) => reject(new Error(`a sandbox could not be started (status ${code}): ${said}`)));
      holder.stdout.once('data', () => resolve());
    });
    const pid = Number(readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8').trim());
    return new Namespace(holder, pid, offline);
  }

  /** The arguments that run `argv` inside, in the directory `cwd`. */
  enter(cwd: string, argv: readonly string[]): [string, ...string[]] {
    const user = privileged ? [] : ['--user', '--preserve-credentials'];
    const kinds = ['-t', String(this.#pid), ...user, '-m', '-p', '-r', '-w', ...(this.#offline ? ['-n'] : [])];
    return ['nsenter', ...kinds, '--', '/bin/sh', '-c', 'cd -- "$1" && shift && exec "$@"', 'enter', cwd, ...argv];
  }

  /** Ends every process inside at once. */
  async stop(): Promise<void> {
    this.#holder.stdin?.destroy();
    if (this.#holder.pid !== undefined && this.#holder.exitCode === null) {
      try {
        process.kill(-this.#holder.pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
    await this.ended;
    for (const stream of [this.#holder.stdout, this.#holder.stderr]) stream?.destroy();
  }
}
