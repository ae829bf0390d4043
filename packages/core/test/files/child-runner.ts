import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Capabilities } from '../../src/contract/index.js';
import type { RunEnd, Runner } from '../../src/engine/runner.js';
import { createFiles, type FilesPlace } from '../../src/files/index.js';

/** A shell and the programs around it. */
export interface Userland {
  readonly name: string;
  readonly shell: readonly [string, ...string[]];
  readonly path: string;
  dispose(): void;
}

const systemPath = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

function system(name: string, shell: string): Userland {
  return { name, shell: [shell], path: systemPath, dispose: () => {} };
}

/** Nothing but busybox: every program is one of its applets. */
export function busybox(): Userland {
  const found = applets('busybox');
  return { ...found, shell: [join(found.path, 'sh')] };
}

/** Busybox's applets but for some, and programs of the test's own in their place, run by dash: busybox prefers itself. */
export function applets(name: string, without: readonly string[] = [], scripts: Readonly<Record<string, string>> = {}): Userland {
  const found = execFileSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).trim();
  const directory = mkdtempSync(join(tmpdir(), 'petasos-applets-'));
  chmodSync(directory, 0o755);
  for (const applet of execFileSync(found, ['--list'], { encoding: 'utf8' }).split('\n')) {
    if (applet !== '' && applet !== 'busybox' && !without.includes(applet) && !(applet in scripts))
      symlinkSync(found, join(directory, applet));
  }
  for (const [program, text] of Object.entries(scripts)) writeFileSync(join(directory, program), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return { name, shell: ['/bin/sh'], path: directory, dispose: () => rmSync(directory, { recursive: true }) };
}

export const userlands: readonly (() => Userland)[] = [
  () => system('dash and GNU', '/bin/dash'),
  () => system('bash and GNU', '/bin/bash'),
  () => busybox(),
];

export interface ChildOptions {
  /** Stands before the shell in the argument list. */
  readonly prefix?: readonly string[];
  /** Runs as this user and group; only root may. */
  readonly uid?: number | undefined;
}

/** The smallest runner there can be: one process group a script. */
export function childRunner(userland: Userland, options: ChildOptions = {}): Pick<Runner, 'run'> {
  return {
    run: async (request) => {
      if (request.program.kind !== 'script') throw new TypeError('files run scripts only');
      const argv = [...(options.prefix ?? []), ...userland.shell, '-c', request.program.text, 'sh', ...request.program.args];
      const child: ChildProcess = spawn(argv[0] as string, argv.slice(1), {
        detached: true,
        ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
        env: { PATH: userland.path, HOME: process.env.HOME, TMPDIR: tmpdir() },
        stdio: [request.stdin === 'none' ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      });
      const closed = new Promise<RunEnd>((resolve, reject) => {
        child.on('error', reject);
        child.on('close', (exitCode, signal) => resolve({ ended: signal === null ? 'exited' : 'signaled', exitCode, signal }));
      });
      if (request.stdin instanceof Uint8Array) {
        child.stdin?.on('error', () => {});
        child.stdin?.end(request.stdin);
      }
      // Like the engine's, the output is pushed to the reader whether or not it is wanted by the time of the end.
      const stdout = new PassThrough();
      const stderr = new PassThrough();
      child.stdout?.pipe(stdout);
      child.stderr?.pipe(stderr);
      const signal = (name: NodeJS.Signals) => {
        try {
          process.kill(-(child.pid as number), name);
        } catch {
          // It has ended already.
        }
      };
      return {
        stdin: request.stdin === 'stream' ? (child.stdin ?? undefined) : undefined,
        stdout,
        stderr,
        ended: closed,
        started: Promise.resolve(),
        kill: async (name) => signal(name),
        terminate: async (graceMs) => {
          signal('SIGTERM');
          const hard = setTimeout(() => signal('SIGKILL'), graceMs);
          await closed;
          clearTimeout(hard);
        },
        abandon: () => signal('SIGKILL'),
      };
    },
  };
}

const capabilities: Capabilities = {
  stdin: 'stream',
  streams: 'separate',
  bytes: 'bytes',
  terminal: false,
  files: 'derived',
  pause: false,
  snapshot: false,
  reattach: false,
  forward: false,
  network: ['open'],
  limits: [],
  gpu: false,
  idleStop: false,
  persistent: false,
  root: true,
};

/** Files of this machine below `root`, through the given userland. */
export function childFiles(userland: Userland, root: string, more: Partial<FilesPlace> = {}) {
  mkdirSync(join(root, 'home'), { recursive: true });
  const runner = childRunner(userland);
  return createFiles({
    runner,
    capabilities,
    backend: 'child',
    workdir: async () => root,
    home: async () => join(root, 'home'),
    hold: (transfer) => transfer(new AbortController().signal, runner),
    ...more,
  });
}
