import { hostname } from 'node:os';
import type { Placement } from '../../contract/index.js';
import { ensure, equal, exited, fail, printed, show, within } from '../expect.js';
import { scenarios } from '../scenario.js';
import { held } from '../shell-text.js';

const one = (values: readonly string[]) => (value: unknown) => typeof value === 'string' && values.includes(value);
const text = (value: unknown) => typeof value === 'string' && value.length > 0;
const path = (value: unknown) => typeof value === 'string' && value.startsWith('/');
const amount = (value: unknown) => value === undefined || (typeof value === 'number' && value > 0);

/** What every answer to *where* must say, with a check of each. */
const questions: readonly (readonly [string, (placement: Placement) => unknown, (value: unknown) => boolean])[] = [
  ['backend', (p) => p.backend, text],
  ['sandbox', (p) => p.sandbox, text],
  ['machine.name', (p) => p.machine.name, text],
  ['machine.os', (p) => p.machine.os, text],
  ['user.name', (p) => p.user.name, text],
  ['user.uid', (p) => p.user.uid, (uid) => uid === null || Number.isInteger(uid)],
  ['shell.path', (p) => p.shell.path, path],
  ['shell.kind', (p) => p.shell.kind, one(['bash', 'sh'])],
  ['workdir', (p) => p.workdir, path],
  ['home', (p) => p.home, path],
  [
    'mounts',
    (p) => p.mounts.every((m) => path(m.source) && path(m.target) && one(['read-only', 'read-write'])(m.access)),
    (ok) => ok === true,
  ],
  ['forwarded', (p) => p.forwarded.every(text), (ok) => ok === true],
  ['network.mode', (p) => p.network.mode, one(['open', 'none', 'allowlist'])],
  ['limits.cpus', (p) => p.limits.cpus, amount],
  ['limits.memoryMiB', (p) => p.limits.memoryMiB, amount],
  ['limits.diskGiB', (p) => p.limits.diskGiB, amount],
  ['limits.pids', (p) => p.limits.pids, amount],
  ['isolation', (p) => p.isolation, one(['none', 'container', 'vm', 'remote-host'])],
  ['storage', (p) => p.storage, one(['host', 'persistent', 'ephemeral'])],
  ['lifetimeLeftMs', (p) => p.lifetimeLeftMs, (ms) => ms === null || (typeof ms === 'number' && ms > 0)],
  ['cost.class', (p) => p.cost.class, one(['free', 'metered'])],
  ['agent.machine', (p) => p.agent.machine, text],
  ['agent.kind', (p) => p.agent.kind, one(['host', 'container', 'ci'])],
  ['warnings', (p) => p.warnings.every((w) => text(w.id) && text(w.message)), (ok) => ok === true],
];

export const placement = scenarios('placement', [
  {
    id: 'placement.complete',
    title: 'the answer to where is whole, as JSON, and the same each time',
    async run({ sandbox, subject }) {
      const answer = await sandbox.placement();
      for (const [name, read, good] of questions) {
        const value = read(answer);
        if (!good(value)) fail(`${name} should be told properly, observed ${show(value)}`);
      }
      equal([answer.backend, answer.sandbox], [subject.backend.name, sandbox.name], 'backend and sandbox');
      const stable = ({ lifetimeLeftMs: _, ...rest }: Placement) => JSON.parse(JSON.stringify(rest)) as unknown;
      equal(stable(await sandbox.placement()), stable(answer), 'a second answer');
    },
  },
  {
    id: 'placement.true',
    title: 'user, home, workdir and shell are what a command finds',
    async run({ sandbox, placement }) {
      const found = await sandbox.exec(
        'id -u; id -un 2>/dev/null || id -u; echo ~; pwd; if [ -n "$BASH_VERSION" ]; then echo bash; else echo sh; fi',
      );
      exited(found);
      const [uid, name, home, workdir, kind] = found.stdout.split('\n');
      equal([String(placement.user.uid ?? uid), placement.user.name], [uid, name], 'uid and user name');
      equal([placement.home, placement.workdir, placement.shell.kind], [home, workdir, kind], 'home, workdir and shell');
      printed(await sandbox.exec('[ -x "$SHELL_PATH" ]', { env: { SHELL_PATH: placement.shell.path } }), '');
    },
  },
  {
    id: 'placement.agent',
    title: 'where Petasos itself runs is told apart from where its commands run',
    async run(context) {
      equal(context.placement.agent.machine, hostname(), 'the machine of Petasos');
      const automated = await context.open({ hostEnv: { CI: 'true' } });
      equal((await automated.placement()).agent.kind, 'ci', 'the kind where CI=true');
      await automated.destroy();
      const manual = await context.open({ hostEnv: { CI: undefined } });
      ensure((await manual.placement()).agent.kind !== 'ci', 'without CI the kind should not be ci');
    },
  },
  {
    id: 'placement.names-only',
    title: 'forwarded variables are told by name, never by value, and each of them reaches a command',
    async run(context) {
      const value = context.run.marker;
      const sandbox = await context.open({
        hostEnv: { SUITE_FORWARDED: `${value} forwarded` },
        envPassthrough: ['SUITE_FORWARDED'],
        env: { SUITE_OWN: `${value} own` },
      });
      const answer = await sandbox.placement();
      ensure(
        answer.forwarded.includes('SUITE_FORWARDED') && answer.forwarded.includes('LC_PETASOS'),
        `the forwarded names should be told, observed ${show(answer.forwarded)}`,
      );
      const told = JSON.stringify(answer);
      ensure(!told.includes(value), 'no value of a variable should be in the placement');
      const seen = await sandbox.exec('env');
      exited(seen);
      const inside = new Set(seen.stdout.split('\n').map((line) => line.split('=')[0]));
      equal(
        answer.forwarded.filter((name) => !inside.has(name)),
        [],
        'forwarded names that no command sees',
      );
      equal(
        answer.forwarded.filter((name) => /KEY|TOKEN/.test(name)),
        [],
        'credentials among the forwarded names',
      );
    },
  },
  {
    id: 'placement.secret-warning',
    title: 'a forced credential is warned of by name, with a remedy and without its value',
    async run(context) {
      const sandbox = await context.open({ envForce: ['OPENAI_API_KEY'] });
      const answer = await sandbox.placement();
      const warning = answer.warnings.find((one) => one.message.includes('OPENAI_API_KEY'));
      ensure(
        warning !== undefined && text(warning.remedy),
        `a warning should name the variable and a remedy, observed ${show(answer.warnings)}`,
      );
      ensure(
        !JSON.stringify(answer).includes(context.hostEnv.OPENAI_API_KEY ?? context.run.marker),
        'the value should not be in the placement',
      );
      ensure(answer.forwarded.includes('OPENAI_API_KEY'), 'the variable should be among the forwarded names');
    },
  },
  {
    id: 'placement.beside-commands',
    title: 'the answer does not wait for running commands',
    async run(context) {
      const go = `${await context.directory()}/go`;
      const running = context.sandbox.exec(`${held(go)}; echo done`);
      await within(5000, 'the answer to where beside a running command', context.sandbox.placement());
      await context.sandbox.files.write(go, '');
      printed(await running, 'done\n');
    },
  },
  {
    id: 'placement.root',
    title: 'whether commands may run as root is as declared',
    async run({ sandbox, capabilities, note }) {
      const uid = (await sandbox.exec('id -u')).stdout.trim();
      const may = uid === '0' || (await sandbox.exec('sudo -n id -u 2>/dev/null')).stdout.trim() === '0';
      if (capabilities.root) ensure(may, `root is declared, and commands run as uid ${uid} without a way to root`);
      else if (may) note('root is not declared, and commands can run as root');
    },
  },
  {
    id: 'placement.gpu',
    title: 'a declared GPU can be seen by a command',
    async run({ sandbox, capabilities, note }) {
      const seen = (await sandbox.exec('ls -d /dev/nvidia[0-9]* /dev/kfd /dev/dri/render* 2>/dev/null')).stdout !== '';
      if (capabilities.gpu) ensure(seen, 'gpu is declared, and no GPU device is there');
      else if (seen) note('gpu is not declared, and a GPU device is there');
    },
  },
]);
