import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { must } from './process.js';

/** A registry on this machine, with nothing in it; what is not ours it takes from the one that is configured. */
export interface Registry {
  readonly url: string;
  /** For every npm that is to use it. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startRegistry(directory: string): Promise<Registry> {
  await mkdir(directory, { recursive: true });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const upstream = (await must('npm', ['config', 'get', 'registry'], { cwd: directory, env: process.env })).trim();
  const open = { access: '$all', publish: '$all', unpublish: '$all' };
  const config = {
    storage: join(directory, 'storage'),
    uplinks: { upstream: { url: upstream, maxage: '1d', timeout: '60s', cache: true } },
    // Ours are never looked for elsewhere: what is installed is what was published here.
    packages: { '@petasos/*': open, 'petasos-backend-*': open, '**': { ...open, proxy: 'upstream' } },
    max_body_size: '100mb',
    log: { type: 'file', path: join(directory, 'registry.log'), level: 'warn' },
  };
  const configFile = join(directory, 'config.yaml');
  // JSON is YAML.
  await writeFile(configFile, JSON.stringify(config));
  const userConfig = join(directory, 'npmrc');
  await writeFile(userConfig, `registry=${url}/\n//127.0.0.1:${port}/:_authToken=local\n`, { mode: 0o600 });
  const program = join(dirname(createRequire(import.meta.url).resolve('verdaccio/package.json')), 'bin/verdaccio');
  const server = spawn(process.execPath, [program, '--config', configFile, '--listen', `127.0.0.1:${port}`], { stdio: 'ignore' });
  await answers(url, server);
  return {
    url,
    env: {
      npm_config_userconfig: userConfig,
      npm_config_registry: `${url}/`,
      npm_config_update_notifier: 'false',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_loglevel: 'error',
    },
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      server.kill('SIGTERM');
      await once(server, 'exit');
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}

async function answers(url: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    if (server.exitCode !== null) throw new Error(`the registry ended with ${server.exitCode}`);
    const up = await fetch(`${url}/-/ping`).then(
      (response) => response.ok,
      () => false,
    );
    if (up) return;
    if (Date.now() > deadline) throw new Error('the registry does not answer');
    await delay(100);
  }
}
