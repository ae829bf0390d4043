import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the repository. These scripts run before anything is installed, so they use Node alone. */
export const root = fileURLToPath(new URL('..', import.meta.url));

const quietTools = { TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1', DO_NOT_TRACK: '1', NO_UPDATE_NOTIFIER: '1' };

export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

const running = new Set();

/** Ends the programs that {@link run} has started and that have not ended. */
export function endRunning() {
  for (const child of running) child.kill('SIGTERM');
}

/**
 * Runs a program without a shell, so that a folder of any name works.
 * @returns {Promise<{ code: number, output: string }>} `output` only with `capture`; a program killed by a signal has code 1.
 */
export function run(program, args, { cwd = root, env = {}, capture = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...quietTools, ...env },
      stdio: ['ignore', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'],
    });
    running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      running.delete(child);
      resolve({ code: code ?? 1, output });
    });
  });
}

/** The pnpm that package.json pins. A fresh machine has none, so npm's runner brings it. */
export function pnpm(args, options) {
  const { packageManager } = readJson(join(root, 'package.json'));
  return run('npx', ['--yes', packageManager, ...args], options);
}

/** A program that a development dependency of the workspace brings. */
export function tool(name, args, options) {
  return run(join(root, 'node_modules', '.bin', name), args, options);
}

/** Every package of the workspace: folder (relative) and manifest. */
export function workspacePackages() {
  return ['packages', 'tooling'].flatMap((group) =>
    readdirSync(join(root, group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${group}/${entry.name}`)
      .filter((folder) => readdirSync(join(root, folder)).includes('package.json'))
      .map((folder) => ({ folder, manifest: readJson(join(root, folder, 'package.json')) })),
  );
}

export const publishedPackages = () => workspacePackages().filter(({ manifest }) => manifest.private !== true);

/** Files that git tracks or would track, relative to the root. */
export async function repositoryFiles() {
  const { code, output } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { capture: true });
  if (code !== 0) throw new Error(`git cannot list the files: ${output}`);
  return output.split('\0').filter((path) => path !== '');
}

const supported = [20, 19];

export function requireSupportedNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > supported[0] || (major === supported[0] && minor >= supported[1])) return;
  console.error(
    `Petasos needs Node.js ${supported.join('.')} or newer; this is ${process.versions.node}. Install a newer one and run this again.`,
  );
  process.exit(1);
}
