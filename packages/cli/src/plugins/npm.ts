import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../session/context.js';
import { CliError } from '../ui/errors.js';
import { linkCore } from './own-core.js';

/** The user's plugin directory: a project of npm, whose packages share the core of this CLI. */
export class PluginDirectory {
  constructor(
    private readonly context: Context,
    readonly directory: string,
  ) {}

  /** Whole specifiers of npm: a name, a name with a version, a tarball, a folder. No install script is run. */
  async add(specifiers: readonly string[]): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const manifest = join(this.directory, 'package.json');
    if (!existsSync(manifest)) await writeFile(manifest, '{\n  "name": "petasos-plugins",\n  "private": true\n}\n');
    await this.#npm(['install', '--save', ...specifiers]);
    await linkCore(this.directory);
  }

  async remove(packageNames: readonly string[]): Promise<void> {
    await this.#npm(['uninstall', '--save', ...packageNames]);
    await linkCore(this.directory);
  }

  /** Packages that were asked for, not what they brought along. */
  async packages(): Promise<readonly string[]> {
    try {
      const json: unknown = JSON.parse(await readFile(join(this.directory, 'package.json'), 'utf8'));
      const found = typeof json === 'object' && json !== null && 'dependencies' in json ? json.dependencies : undefined;
      return typeof found === 'object' && found !== null ? Object.keys(found).sort() : [];
    } catch {
      return [];
    }
  }

  /** Peers are left out: the core is this CLI's own, so that both speak of the same contract. */
  async #npm(args: readonly string[]): Promise<void> {
    const quiet = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error'];
    const child = spawn('npm', [...args, ...quiet], {
      cwd: this.directory,
      env: { ...this.context.env, NO_UPDATE_NOTIFIER: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-4000);
    });
    const status = await new Promise<number>((resolve, reject) => {
      child.once('error', (cause) =>
        reject(
          new CliError(`npm could not be started: ${cause.message}`, {
            code: 'npm-failed',
            remedy: 'Install npm; it comes with Node.',
            cause,
          }),
        ),
      );
      child.once('close', (code) => resolve(code ?? 1));
    });
    if (status === 0) return;
    const reason = errors
      .split('\n')
      .map((line) => line.replace(/^npm (?:error|ERR!)\s*/, '').trim())
      .filter((line) => line !== '' && !/^(?:code |A complete log)/.test(line));
    throw new CliError(`npm ${args[0] ?? ''} failed: ${reason.slice(0, 2).join(' ') || `status ${status}`}`, {
      code: 'npm-failed',
      remedy: 'Check the name and the network.',
    });
  }
}
