import { execFile } from 'node:child_process';
import { lstatSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Of the machine's root, what every sandbox sees, read-only. */
const shared = ['usr', 'etc', 'opt', 'nix', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];
/** What every sandbox has for itself. */
const own = ['tmp', 'home', 'root', 'run', 'srv', 'mnt', 'var/tmp', 'var/log', 'workspace'];
/** Belong to the kernel; never copied. */
const mountPoints = ['proc', 'sys', 'dev'];

/** One directory that appears at another place in the sandbox. */
export interface Bind {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** The files of one sandbox: a root of its own, with this machine's programs in it. Reachable from outside also while it is stopped. */
export class FileTree {
  /** Directory on this machine that is `/` in the sandbox. */
  readonly root: string;
  /** Where commands start. */
  readonly workdir: string;
  readonly binds: Bind[] = [];

  private constructor(root: string, workdir: string) {
    this.root = root;
    this.workdir = workdir;
  }

  /** `from`: the directory of a snapshot. */
  static async create(
    root: string,
    options: { readonly workdir: string; readonly directories?: readonly string[]; readonly from?: string | undefined },
  ): Promise<FileTree> {
    const tree = new FileTree(root, options.workdir);
    await mkdir(path.dirname(root), { recursive: true });
    if (options.from === undefined) await mkdir(root, { mode: 0o755 });
    else await copyTree(options.from, root);
    for (const name of [...own, ...mountPoints, options.workdir, ...(options.directories ?? [])])
      await mkdir(path.join(root, name), { recursive: true });
    await run('chmod', ['1777', path.join(root, 'tmp'), path.join(root, 'var/tmp')]);
    await tree.#share();
    return tree;
  }

  async #share(): Promise<void> {
    const present = new Set(await readdir('/'));
    for (const name of shared.filter((one) => present.has(one))) {
      const source = `/${name}`;
      const target = path.join(this.root, name);
      if (lstatSync(source).isSymbolicLink()) {
        await symlink(readlinkSync(source), target).catch(ignoreExisting);
        continue;
      }
      await mkdir(target, { recursive: true });
      this.binds.push({ source, target: source, readOnly: true });
    }
  }

  /** Lets the directory `source` appear at `target` from the next start on. */
  async bind(source: string, target: string): Promise<void> {
    await mkdir(path.join(this.root, target), { recursive: true });
    this.binds.push({ source, target: path.posix.normalize(target), readOnly: false });
  }

  /**
   * The path on this machine of a path in the sandbox. Links are followed as the sandbox would: an absolute one stays inside.
   * The last component is followed too, unless `follow` is false.
   */
  locate(inside: string, follow = true): string {
    let pending = path.posix.resolve(this.workdir, inside).split('/').filter(Boolean);
    let at = '/';
    for (let links = 0; pending.length > 0; ) {
      const [name = '', ...rest] = pending;
      const next = path.posix.join(at, name);
      const target = rest.length > 0 || follow ? linkOf(this.#outside(next)) : undefined;
      if (target === undefined || links >= 40) {
        at = next;
        pending = rest;
        continue;
      }
      links += 1;
      pending = [...path.posix.resolve(at, target).split('/').filter(Boolean), ...rest];
      at = '/';
    }
    return this.#outside(at);
  }

  #outside(inside: string): string {
    const bind = this.binds
      .filter(({ target }) => inside === target || inside.startsWith(`${target}/`))
      .sort((a, b) => b.target.length - a.target.length)[0];
    return bind ? path.join(bind.source, inside.slice(bind.target.length)) : path.join(this.root, inside);
  }

  /** Copies the sandbox's own files to a new directory. */
  async copyTo(directory: string): Promise<void> {
    await mkdir(path.dirname(directory), { recursive: true });
    await copyTree(this.root, directory);
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function copyTree(from: string, to: string): Promise<void> {
  await run('cp', ['-a', '--reflink=auto', '--', from, to]);
}

function linkOf(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}

function ignoreExisting(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}
