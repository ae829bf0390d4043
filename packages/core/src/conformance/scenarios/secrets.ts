import { readdir, readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import type { Shell } from '../../sandbox/types.js';
import { withJobs, withShell } from '../borrow.js';
import { ensure, equal, exited, fail, rejects, show } from '../expect.js';
import { type Context, scenarios } from '../scenario.js';
import { lasting } from '../shell-text.js';

/** Processes of this machine that carry the value in their arguments. */
async function argumentsOnHost(value: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line.includes(value)) found.push(`${pid} ${line.replaceAll('\0', ' ').slice(0, 80)}`);
  }
  return found;
}

/** The value must be in the environment of a process, which proves that the search finds it, and in no argument list. */
async function inEnvironmentOnly(context: Context, value: string): Promise<void> {
  const found = await context.eventually('the value in the environment of the running command', async () => {
    const survivors = await context.survivors(value);
    return survivors.some((one) => one.found === 'environment') && survivors;
  });
  const pids = found.filter((one) => one.found === 'arguments').map((one) => one.pid);
  equal(pids, [], 'processes of the target with the value of a variable in their arguments');
  equal(await argumentsOnHost(value), [], 'processes of this machine with the value of a variable in their arguments');
}

export const secrets = scenarios('secrets', [
  {
    id: 'E8.no-argument-list',
    title: 'the value of a variable is in no argument list, neither on the target nor on this machine',
    async run(context) {
      const value = context.marker();
      const controller = new AbortController();
      const running = context.sandbox.exec('sh -c "sleep 60; :"; echo over', {
        env: { PETASOS_SECRET: value },
        signal: controller.signal,
        graceMs: 300,
      });
      try {
        await inEnvironmentOnly(context, value);
      } finally {
        controller.abort();
        await running;
      }
    },
  },
  {
    id: 'E8.no-argument-list-elsewhere',
    title: 'the same holds for spawned processes, shells and jobs',
    async run(context) {
      const { sandbox } = context;
      const [spawned, inShell, inJob] = [context.marker(), context.marker(), context.marker()];
      const wait = 'sh -c "sleep 60; :"; echo over';
      const process = await sandbox.spawn(wait, { env: { PETASOS_SECRET: spawned } });
      process.stdout.resume();
      process.stderr.resume();
      const inTheShell = async (shell: Shell) => {
        const controller = new AbortController();
        const running = shell.exec(wait, { signal: controller.signal, graceMs: 300 });
        try {
          for (const value of [spawned, inShell, inJob]) await inEnvironmentOnly(context, value);
        } finally {
          controller.abort();
          await running;
        }
      };
      try {
        await withJobs(context, async (start) => {
          await start(wait, { env: { PETASOS_SECRET: inJob } });
          await withShell(context, inTheShell, { env: { PETASOS_SECRET: inShell } });
        });
      } finally {
        await process.kill('SIGKILL');
        await process.exited;
      }
    },
  },
  {
    id: 'E8.search-works',
    title: 'a value that a command puts into an argument list itself is found there',
    async run(context) {
      const marker = context.marker();
      const controller = new AbortController();
      const running = context.sandbox.exec(lasting(marker), { signal: controller.signal, graceMs: 300 });
      try {
        await context.eventually('the marker in an argument list', async () =>
          (await context.survivors(marker)).some((one) => one.found === 'arguments'),
        );
      } finally {
        controller.abort();
        await running;
      }
    },
  },
  {
    id: 'E8.no-error',
    title: 'an error about a command tells no value of its variables',
    async run(context) {
      const value = context.marker();
      const env = { PETASOS_SECRET: value };
      const { sandbox } = context;
      const failing = [
        () => sandbox.exec('true', { env, cwd: '/petasos/there/is/none' }),
        () => sandbox.exec('true\0', { env }),
        () => sandbox.exec('true', { env: { ...env, 'not a name': value } }),
        () => sandbox.exec('true', { env: { ...env, PETASOS_NUL: `${value}\0` } }),
        () => sandbox.exec('true', { env, timeoutMs: -1 }),
      ];
      for (const attempt of failing) {
        const error = await rejects(attempt(), ['cwd-not-found', 'invalid-request'], 'a bad request');
        const said = `${inspect(error, { depth: 10 })} ${JSON.stringify(error)} ${error.stack}`;
        ensure(!said.includes(value), `the error should not tell the value of a variable, observed ${show(error.message)}`);
      }
    },
  },
  {
    id: 'E8.no-result',
    title: 'what a command does not print is not in its result',
    async run(context) {
      const value = context.marker();
      const result = await context.sandbox.exec('echo printed; echo problem >&2; exit 3', { env: { PETASOS_SECRET: value } });
      exited(result, 3);
      if (inspect(result, { depth: 10 }).includes(value)) fail('the result should not hold the value of a variable, observed it');
    },
  },
]);
