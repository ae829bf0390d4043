import { awkwardNames } from '../awkward-names.js';
import { equal, exited, printed, rejects, show } from '../expect.js';
import { each } from '../parallel.js';
import { scenarios } from '../scenario.js';
import { quote } from '../shell-text.js';

export const cwd = scenarios('cwd', [
  {
    id: 'E7.default',
    title: 'without a cwd a command runs in the workdir that placement tells',
    async run({ sandbox, placement }) {
      printed(await sandbox.exec('pwd'), `${placement.workdir}\n`);
    },
  },
  {
    id: 'E7.absolute',
    title: 'an absolute cwd is where the command runs, and PWD says so',
    async run(context) {
      const directory = await context.directory();
      printed(await context.sandbox.exec('pwd; echo "$PWD"', { cwd: directory }), `${directory}\n${directory}\n`);
      printed(await context.sandbox.exec('pwd', { cwd: '/' }), '/\n');
    },
  },
  {
    id: 'E7.home',
    title: '`~` and `~/…` are the home directory of the sandbox’s user',
    async run(context) {
      const { sandbox, placement } = context;
      printed(await sandbox.exec('pwd -P', { cwd: '~' }), (await sandbox.exec('cd "$HOME" && pwd -P')).stdout);
      exited(await sandbox.exec(`test ${quote(placement.home)} -ef "$HOME"`));
      const name = context.name();
      exited(await sandbox.exec(`mkdir ~/${name}`));
      try {
        printed(await sandbox.exec('test "$(pwd -P)" -ef "$HOME"/"${PWD##*/}" && echo same', { cwd: `~/${name}` }), 'same\n');
      } finally {
        exited(await sandbox.exec(`rmdir ~/${name}`));
      }
    },
  },
  {
    id: 'E7.relative',
    title: 'a relative cwd starts at the workdir, whatever CDPATH says',
    async run(context) {
      const { sandbox, placement } = context;
      const name = context.name();
      const elsewhere = await context.directory();
      exited(await sandbox.exec(`mkdir -p ${name}/deep ${elsewhere}/${name}/deep`));
      try {
        const base = placement.workdir === '/' ? '' : placement.workdir;
        printed(await sandbox.exec('pwd', { cwd: `${name}/deep`, env: { CDPATH: elsewhere } }), `${base}/${name}/deep\n`);
        printed(await sandbox.exec('pwd', { cwd: `./${name}/../${name}` }), `${base}/${name}\n`);
      } finally {
        exited(await sandbox.exec(`rm -rf ${name}`));
      }
    },
  },
  {
    id: 'E7.any-name',
    title: 'spaces, quotes, newlines, $() and leading dashes in a cwd are plain characters',
    async run(context) {
      const { sandbox } = context;
      const directory = await context.directory();
      await each(awkwardNames, async (name) => {
        exited(await sandbox.exec(`mkdir -p -- ${quote(name)} && : > ${quote(`./${name}/here`)}`, { cwd: directory }));
        const result = await sandbox.exec('ls; test ! -e ../petasos-injected && test ! -e petasos-injected', {
          cwd: `${directory}/${name}`,
        });
        equal([result.exitCode, result.stdout], [0, 'here\n'], `status and listing in the directory ${show(name)}`);
      });
    },
  },
  {
    id: 'E7.odd-relative',
    title: 'a relative cwd that looks like an option or like the last directory is a name',
    async run(context) {
      const { sandbox } = context;
      const inner = `-P ${context.name()}`;
      exited(await sandbox.exec(`mkdir -- ${quote(inner)}`));
      try {
        printed(await sandbox.exec('echo "${PWD##*/}"', { cwd: inner }), `${inner}\n`);
      } finally {
        exited(await sandbox.exec(`rmdir -- ${quote(inner)}`));
      }
      await rejects(sandbox.exec('pwd', { cwd: '-' }), 'cwd-not-found', 'a directory named - that does not exist');
    },
  },
  {
    id: 'E7.missing',
    title: 'a directory that is missing is a typed error before anything runs, not another directory',
    async run(context) {
      const { sandbox } = context;
      const directory = await context.directory();
      const missing = `${directory}/there is none`;
      const command = `: > ${directory}/ran`;
      await rejects(sandbox.exec(command, { cwd: missing }), 'cwd-not-found', 'exec in a missing directory');
      await rejects(sandbox.spawn(command, { cwd: missing }), 'cwd-not-found', 'spawn in a missing directory');
      exited(await sandbox.exec(`test -e ${directory}/ran`), 1);
      printed(await sandbox.exec('echo next'), 'next\n');
    },
  },
  {
    id: 'E7.not-a-directory',
    title: 'a cwd that is a file is a typed error before anything runs',
    async run(context) {
      const { sandbox } = context;
      const directory = await context.directory();
      exited(await sandbox.exec(`: > ${directory}/file`));
      const entering = sandbox.exec(`: > ${directory}/ran`, { cwd: `${directory}/file` });
      await rejects(entering, ['cwd-not-found', 'cwd-not-accessible'], 'exec in a file');
      exited(await sandbox.exec(`test -e ${directory}/ran`), 1);
    },
  },
  {
    id: 'E7.not-accessible',
    title: 'a directory that the user may not enter is a typed error; root may enter',
    async run(context) {
      const { sandbox } = context;
      const directory = await context.directory();
      exited(await sandbox.exec(`mkdir ${directory}/locked && chmod 000 ${directory}/locked`));
      const enters = (await sandbox.exec(`cd ${directory}/locked`)).exitCode === 0;
      const entering = sandbox.exec('pwd', { cwd: `${directory}/locked` });
      if (enters) printed(await entering, `${directory}/locked\n`);
      else await rejects(entering, 'cwd-not-accessible', 'exec in a locked directory');
    },
  },
  {
    id: 'E7.nul',
    title: 'a NUL in a cwd is a typed error',
    async run({ sandbox }) {
      await rejects(sandbox.exec('pwd', { cwd: '/\0tmp' }), 'invalid-request', 'a cwd with NUL');
    },
  },
]);
