import { ensure, equal, exited, printed, rejects, show } from '../expect.js';
import { each } from '../parallel.js';
import { scenarios } from '../scenario.js';
import { quote } from '../shell-text.js';

/** Texts that a wrapper around a command easily damages. What they do is asked of the shell itself. */
const oddTexts = [
  "echo 'unterminated",
  'echo "unterminated',
  'echo `unterminated',
  'echo $(unterminated',
  'echo ${unterminated',
  'if true; then echo a',
  'echo a; )',
  'echo a; }',
  'done',
  ';;',
  'echo a &&',
  'echo a |',
  'echo a \\',
  'echo a\\\nb',
  'cat <<END\nno end of the heredoc',
  "cat <<'END'\n$HOME `x` $(y)\nEND",
  'echo a # comment',
  '# only a comment',
  '',
  '   ',
  '\n\n\n',
  'echo a;\n\n# end\n\n',
  '! true',
  '(exit 3)',
  '{ echo a; exit 4; }',
  'return 3',
  'break; echo after',
  "trap 'echo bye' EXIT; echo hi",
  "trap 'echo bye; exit 9' EXIT; false",
  'set -e; false; echo not reached',
  'set -u; echo $petasos_unset; echo not reached',
  'set -n; echo not run',
  'exec printf replaced',
  "exec sh -c 'exit 9'",
  'exec 1>&2; echo on stderr',
  'exec <&-; cat; echo read',
  'cat; echo after cat',
  'read line; echo "read $? [$line]"',
  'echo "$#" "$1" "$@"',
  'echo a\tb\u00a0c',
  "printf '%s\\n' \"it's\" 'say \"x\"' \\$HOME a\\ b",
  'eval "echo \'a b\'"; eval "exit 6"',
  'f() { return 5; }; f',
  'echo \'$(exit 7)\' "$(exit 7)"; exit $?',
  'cd /; pwd; exit 2',
  'echo 100%; echo %s %d; printf "%%\\n"',
  'echo -n x; echo -e "a\\nb"',
  'kill -0 $$ && echo alive',
];

export const text = scenarios('text', [
  {
    id: 'E1.shell',
    title: 'commands run under bash where it exists, else under sh, and placement says which',
    async run({ sandbox, placement }) {
      const hasBash = (await sandbox.exec('command -v bash')).exitCode === 0;
      equal(placement.shell.kind, hasBash ? 'bash' : 'sh', 'the kind of shell that placement tells');
      printed(await sandbox.exec('echo "${BASH_VERSION:+bash}"'), hasBash ? 'bash\n' : '\n');
      exited(await sandbox.exec(`test -x ${quote(placement.shell.path)}`));
    },
  },
  {
    id: 'E1.as-the-shell-does',
    title: 'any text gives what the shell itself gives for it, errors and statuses included',
    async run({ sandbox, placement }) {
      const shell = quote(placement.shell.path);
      await each(oddTexts, async (text) => {
        const own = await sandbox.exec(`${shell} -c "$PETASOS_TEXT"`, { env: { PETASOS_TEXT: text } });
        const result = await sandbox.exec(text);
        equal(
          [result.ended, result.exitCode, result.stdout],
          [own.ended, own.exitCode, own.stdout],
          `end, exit code and stdout of ${show(text)}`,
        );
        equal(result.stderr !== '', own.stderr !== '', `whether ${show(text)} writes to stderr (${show(result.stderr)})`);
      });
    },
  },
  {
    id: 'E1.unterminated-quote',
    title: 'an unterminated quote is the shell’s own syntax error, and the next command runs',
    async run({ sandbox }) {
      const result = await sandbox.exec("echo 'never closed");
      ensure(
        result.ended === 'exited' && result.exitCode !== 0 && result.exitCode !== null,
        `expected a failure, observed ${show(result)}`,
      );
      ensure(result.stderr !== '', 'the shell should complain on stderr, observed nothing');
      printed(await sandbox.exec('echo fine'), 'fine\n');
    },
  },
  {
    id: 'E1.heredoc',
    title: 'a heredoc arrives line by line, quoted and unquoted',
    async run({ sandbox }) {
      printed(
        await sandbox.exec("x=5\ncat <<A\n$x 'q' \"d\"\nA\ncat <<'B'\n$x `t`\n\n  indented\nB\necho end"),
        '5 \'q\' "d"\n$x `t`\n\n  indented\nend\n',
      );
    },
  },
  {
    id: 'E1.crlf',
    title: 'carriage returns in the text reach the shell',
    async run({ sandbox }) {
      printed(await sandbox.exec('echo a\r\necho b\r\n'), 'a\r\nb\r\n');
    },
  },
  {
    id: 'E1.unicode',
    title: 'Unicode in the text arrives unchanged',
    async run({ sandbox }) {
      printed(await sandbox.exec("printf '%s\\n' 'naïve Ω 世界 🎉 e\u0301 \u202e \ufeff'"), 'naïve Ω 世界 🎉 e\u0301 \u202e \ufeff\n');
    },
  },
  {
    id: 'E1.leading-dash',
    title: 'a text that begins with a dash is a command and no option of the shell',
    async run({ sandbox }) {
      for (const text of ['--version', '-c exit', '-x', '+x', '-']) {
        const result = await sandbox.exec(text);
        exited(result, 127);
        equal(result.stdout, '', `stdout of ${text}`);
      }
    },
  },
  {
    id: 'E1.200-kib',
    title: 'a text of 200 KiB works, which is more than one argument may be',
    async run({ sandbox }) {
      printed(await sandbox.exec(`x='${'a'.repeat(200 * 1024)}'; echo \${#x}; exit 0`), `${200 * 1024}\n`);
    },
  },
  {
    id: 'E1.1-mib',
    title: 'a text of 1 MiB works',
    async run({ sandbox }) {
      const line = `: ${'b'.repeat(1021)}\n`;
      exited(await sandbox.exec(`${line.repeat(1024)}exit 21`), 21);
    },
  },
  {
    id: 'E1.nul',
    title: 'a NUL in the text is a typed error, and nothing runs',
    async run(context) {
      const { sandbox } = context;
      const directory = await context.directory();
      await rejects(sandbox.exec(`: > ${directory}/ran\0; : > ${directory}/ran`), 'invalid-request', 'a text with NUL');
      exited(await sandbox.exec(`test -e ${directory}/ran`), 1);
    },
  },
  {
    id: 'E1.fresh-each-time',
    title: 'a command leaves directory, variables, functions, options and umask of the next one alone',
    async run({ sandbox }) {
      const look = 'pwd; umask; echo "$-" "${petasos_x-unset}" "${PETASOS_Y-unset}"; petasos_f 2>/dev/null || echo no function';
      const before = await sandbox.exec(look);
      await sandbox.exec('cd /; umask 0; set -f; petasos_x=1; export PETASOS_Y=2; petasos_f() { echo here; }; exec 3>/dev/null; exit 0');
      printed(await sandbox.exec(look), before.stdout);
      ensure(
        before.stdout.includes('unset unset') && before.stdout.includes('no function'),
        `expected a fresh shell, observed ${before.stdout}`,
      );
    },
  },
  {
    id: 'E1.no-startup-files',
    title: 'a command reads no startup file of a shell, whatever its stdin is',
    async run(context) {
      const { sandbox } = context;
      const home = await context.directory();
      const files = ['.bashrc', '.bash_profile', '.profile', '.shrc', '.kshrc'];
      exited(await sandbox.exec(`for f in ${files.join(' ')}; do echo 'echo startup' > "$f"; done`, { cwd: home }));
      for (const stdin of [undefined, 'input'])
        printed(await sandbox.exec('cat; echo end', { env: { HOME: home }, stdin }), `${stdin ?? ''}end\n`);
    },
  },
  {
    id: 'E1.set-e-and-exit',
    title: 'set -e, exit and exec end their own command and nothing else',
    async run({ sandbox }) {
      for (const [text, code] of [
        ['set -e; false; echo no', 1],
        ['exit 5', 5],
        ['exec sh -c "exit 6"', 6],
        ['set -u; : $petasos_none', undefined],
      ] as const) {
        const result = await sandbox.exec(text);
        if (code === undefined) ensure(result.ended === 'exited' && result.exitCode !== 0, `${text} should fail, observed ${show(result)}`);
        else exited(result, code);
        printed(await sandbox.exec('echo next'), 'next\n');
      }
    },
  },
]);
