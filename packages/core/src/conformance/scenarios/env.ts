import { isPetasosError } from '../../contract/index.js';
import type { ExecResult } from '../../sandbox/types.js';
import { ensure, equal, exited, printed, rejects, show } from '../expect.js';
import { each } from '../parallel.js';
import { scenarios } from '../scenario.js';

const values: Readonly<Record<string, string>> = {
  PETASOS_PLAIN: 'value',
  PETASOS_EMPTY: '',
  PETASOS_SPACES: '  a  b  ',
  PETASOS_QUOTES: `it's "quoted" \`x\` $(echo y) $HOME \\ \\\\ \\n`,
  PETASOS_NEWLINES: '\nfirst\n\nlast\n\n',
  PETASOS_CRLF: 'a\r\nb\r',
  PETASOS_UNICODE: 'naïve Ω 世界 🎉',
  PETASOS_CONTROL: '\x01\x02\x1b[31m\x7f\t',
  PETASOS_EQUALS: '=a=b=',
  PETASOS_DASH: '-n',
  PETASOS_HEREDOC: 'EOF\nEND\nPETASOS\n.\n',
  petasos_lower: 'lower',
  _petasos9: 'underscore',
};

/** Names that wrappers use for themselves; a value given by the user arrives all the same. */
const commonNames = [
  ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTVWXYZ',
  ...['cmd', 'code', 'cwd', 'dir', 'err', 'fd', 'file', 'id', 'in', 'key', 'line', 'marker', 'name', 'out', 'path', 'pgid', 'pid', 'rc'],
  ...['result', 'ret', 'sid', 'signal', 'state', 'status', 'text', 'tmp', 'token', 'value'],
];

const show1 = (name: string) => `printf '%s|' "\${${name}-unset}"`;

export const env = scenarios('env', [
  {
    id: 'E8.any-value',
    title: 'any value without NUL arrives unchanged, newlines included',
    async run({ sandbox }) {
      await each(Object.entries(values), async ([name, value]) => {
        const result = await sandbox.exec(`printf %s "$${name}"; sh -c 'printf %s "$${name}" >&2'`, { env: values });
        equal([result.stdout, result.stderr], [value, value], `${name} in the shell and in its child`);
      });
    },
  },
  {
    id: 'E8.long-value',
    title: 'a value of 100 KiB and 300 variables arrive',
    async run({ sandbox }) {
      const long = 'x'.repeat(100 * 1024);
      printed(await sandbox.exec('echo ${#PETASOS_LONG}', { env: { PETASOS_LONG: long } }), `${long.length}\n`);
      const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`PETASOS_MANY_${i}`, `value ${i}`]));
      printed(
        await sandbox.exec('env | grep -c "^PETASOS_MANY_[0-9]*=value [0-9]*$"; echo "$PETASOS_MANY_299"', { env: many }),
        '300\nvalue 299\n',
      );
    },
  },
  {
    id: 'E8.any-name',
    title: 'names that a wrapper may use for itself are the user’s',
    async run({ sandbox }) {
      const env = Object.fromEntries(commonNames.map((name) => [name, `my ${name}`]));
      const result = await sandbox.exec(commonNames.map(show1).join('; '), { env });
      printed(result, commonNames.map((name) => `my ${name}|`).join(''));
    },
  },
  {
    id: 'E8.names-with-a-meaning',
    title: 'variables that mean something to a shell change the command alone and break nothing around it',
    async run({ sandbox }) {
      const special = {
        IFS: 'e',
        PATH: '/nonexistent',
        ENV: '/nonexistent',
        CDPATH: '/',
        PS4: '$(exit)',
        POSIXLY_CORRECT: '1',
        LC_ALL: 'C',
        TMPDIR: '/nonexistent',
      };
      const result = await sandbox.exec('printf "%s|%s|%s" "$PATH" "$LC_ALL" "$TMPDIR"; exit 3', { env: special });
      exited(result, 3);
      equal(result.stdout, '/nonexistent|C|/nonexistent', 'what the command saw');
      printed(await sandbox.exec('echo next | cat'), 'next\n');
    },
  },
  {
    id: 'E8.read-only-names',
    title: 'a name that the shell keeps for itself is a typed error or does no harm',
    async run({ sandbox }) {
      for (const name of ['UID', 'EUID', 'PPID', 'SHELLOPTS', 'BASHOPTS', 'RANDOM', 'SHLVL', 'BASHPID', 'OLDPWD']) {
        const running = sandbox.exec('exit 4', { env: { [name]: '5' } }).catch((error: unknown) => error);
        const outcome = await running;
        if (isPetasosError(outcome, 'invalid-request')) continue;
        ensure(!(outcome instanceof Error), `${name}: expected a typed error or the command's own end, observed ${show(outcome)}`);
        exited(outcome as ExecResult, 4);
      }
    },
  },
  {
    id: 'E8.invalid-name',
    title: 'an invalid name and a NUL in a value are typed errors, and nothing runs',
    async run(context) {
      const { sandbox } = context;
      const directory = await context.directory();
      for (const name of ['', '1A', 'A-B', 'A=B', 'A B', 'A\n', 'A;exit', '$A', 'Ä']) {
        await rejects(sandbox.exec(`: > ${directory}/ran`, { env: { [name]: 'x' } }), 'invalid-request', `the name ${show(name)}`);
      }
      await rejects(sandbox.exec(`: > ${directory}/ran`, { env: { PETASOS_A: 'a\0b' } }), 'invalid-request', 'a value with NUL');
      exited(await sandbox.exec(`test -e ${directory}/ran`), 1);
    },
  },
  {
    id: 'E8.not-kept',
    title: 'variables of one command are not there in the next',
    async run({ sandbox }) {
      const command = 'echo "${PETASOS_ONCE-unset}"';
      printed(await sandbox.exec(command, { env: { PETASOS_ONCE: 'set' } }), 'set\n');
      printed(await sandbox.exec(command), 'unset\n');
    },
  },
  {
    id: 'E8.sandbox-env',
    title: 'variables of the sandbox reach every command, and a command’s own go before them',
    async run({ sandbox, run }) {
      const command = 'echo "$PETASOS_CONFORMANCE"';
      printed(await sandbox.exec(command), `${run.marker}\n`);
      printed(await sandbox.exec(command, { env: { PETASOS_CONFORMANCE: 'mine' } }), 'mine\n');
    },
  },
  {
    id: 'E8.overrides',
    title: 'a command’s variable replaces one that the place sets',
    async run({ sandbox }) {
      printed(
        await sandbox.exec('echo "$HOME"; sh -c \'echo "$HOME"\'', { env: { HOME: '/somewhere/else' } }),
        '/somewhere/else\n/somewhere/else\n',
      );
    },
  },
  {
    id: 'E9.allowlist',
    title: 'locale and time zone of the host are forwarded',
    async run({ sandbox, hostEnv }) {
      printed(await sandbox.exec('echo "$LC_PETASOS" "$TZ" "$LANG"'), `${hostEnv.LC_PETASOS} ${hostEnv.TZ} ${hostEnv.LANG}\n`);
    },
  },
  {
    id: 'E9.nothing-else',
    title: 'no other variable of the host is seen, least of all a credential',
    async run({ sandbox, subject, hostEnv }) {
      const result = await sandbox.exec('env');
      exited(result);
      const names = new Set(result.stdout.split('\n').map((line) => line.split('=')[0] ?? ''));
      const secret = ['PETASOS_CANARY', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GITHUB_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'NPM_TOKEN'];
      const leaked = [...secret, ...subject.backend.secrets].filter((name) => names.has(name));
      equal(leaked, [], 'host variables that a command sees');
      ensure(
        !result.stdout.includes(hostEnv.PETASOS_CANARY ?? ''),
        'the value of a host variable should be seen under no name, observed it',
      );
    },
  },
  {
    id: 'E9.passthrough',
    title: 'what the user names is forwarded, and a credential only when it is forced by name',
    own: { envPassthrough: ['PETASOS_CANARY'], envForce: ['OPENAI_API_KEY'] },
    async run({ sandbox, hostEnv }) {
      const result = await sandbox.exec('echo "$PETASOS_CANARY" "$OPENAI_API_KEY" "${ANTHROPIC_API_KEY-unset}"');
      printed(result, `${hostEnv.PETASOS_CANARY} ${hostEnv.OPENAI_API_KEY} unset\n`);
    },
  },
  {
    id: 'E9.credential-passthrough',
    title: 'naming a credential among the variables to forward is refused',
    async run(context) {
      const secrets = ['GITHUB_TOKEN', ...context.subject.backend.secrets];
      for (const name of secrets) {
        const opening = context.open({ envPassthrough: [name] });
        await rejects(opening, ['invalid-request', 'invalid-options'], `forwarding ${name}`);
      }
    },
  },
]);
