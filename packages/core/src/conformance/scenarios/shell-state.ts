import { withShell } from '../borrow.js';
import { ensure, equal, exited, printed, within } from '../expect.js';
import { scenarios } from '../scenario.js';
import { asleep, held } from '../shell-text.js';

const awkward = 'two words\n"double" \'single\' $(echo no) `echo no` \\ *\n\nend\n';

export const shellState = scenarios('shell', [
  {
    id: 'S1.cwd',
    title: 'a session’s directory goes from command to command, and the result names it',
    run: (context) =>
      withShell(context, async (shell) => {
        const directory = await context.directory();
        equal(
          (await shell.exec(`mkdir '${directory}/in here' && cd '${directory}/in here'`)).cwd,
          `${directory}/in here`,
          'the cwd in the result',
        );
        printed(await shell.exec('printf %s "$PWD"'), `${directory}/in here`);
        printed(await shell.exec('cd .. && printf %s "$PWD"'), directory);
        equal((await shell.exec('cd - >/dev/null')).cwd, `${directory}/in here`, 'the cwd after cd -');
        exited(await shell.exec('cd /there/is/no/such/directory 2>/dev/null || exit 5'), 5);
        equal((await shell.exec(':')).cwd, `${directory}/in here`, 'the cwd after a cd that failed');
      }),
  },
  {
    id: 'S1.cwd-awkward',
    title: 'a session stays in a directory whose name holds quotes, a newline, a dollar and a leading dash',
    run: (context) =>
      withShell(context, async (shell) => {
        const name = '-a "b" \'c\'\n$(echo no)\n';
        const directory = await context.directory();
        await context.sandbox.files.mkdir(`${directory}/${name}`);
        equal((await shell.exec(`cd -- "${directory}"/-*`)).cwd, `${directory}/${name}`, 'the cwd in the result');
        const after = await shell.exec('printf "[%s]" "$PWD"');
        printed(after, `[${directory}/${name}]`);
        equal(after.cwd, `${directory}/${name}`, 'the cwd after the next command');
      }),
  },
  {
    id: 'S1.cwd-symlink',
    title: 'a session that entered a directory through a symlink leaves it by the same way',
    run: (context) =>
      withShell(context, async (shell) => {
        const directory = await context.directory();
        exited(await shell.exec(`mkdir -p ${directory}/real/deep && ln -s real/deep ${directory}/link && cd ${directory}/link`));
        equal((await shell.exec('cd ..')).cwd, directory, 'the cwd after cd ..');
      }),
  },
  {
    id: 'S1.variables',
    title: 'variables go from command to command, exported or not, whatever their value',
    run: (context) =>
      withShell(context, async (shell) => {
        const quoted = `'${awkward.replaceAll("'", `'\\''`)}'`;
        exited(await shell.exec(`PLAIN=${quoted}; export SHARED=${quoted}; EMPTY=`));
        printed(await shell.exec('printf "%s|%s|%s" "$PLAIN" "$SHARED" "${EMPTY-unset}"'), `${awkward}|${awkward}|`);
        printed(await shell.exec(`sh -c 'printf "%s|%s" "\${PLAIN-unset}" "$SHARED"'`), `unset|${awkward}`);
      }),
  },
  {
    id: 'S1.unset',
    title: 'a variable that a command unset stays unset, and one that it exported no longer is not exported',
    run: (context) =>
      withShell(
        context,
        async (shell) => {
          exited(await shell.exec('LOCAL=1; export KEPT=1'));
          exited(await shell.exec('unset LOCAL GIVEN; VALUE=$KEPT; unset KEPT; KEPT=$VALUE'));
          printed(
            await shell.exec('printf "%s %s %s " "${LOCAL-unset}" "${GIVEN-unset}" "$KEPT"; sh -c \'printf %s "${KEPT-unset}"\''),
            'unset unset 1 unset',
          );
        },
        { env: { GIVEN: 'from the options' } },
      ),
  },
  {
    id: 'S1.special-variables',
    title: 'read-only variables, and arrays where the shell is bash, stay what they are without a word on stderr',
    run: (context) =>
      withShell(context, async (shell) => {
        const arrays = context.shell === 'bash';
        exited(await shell.exec(`readonly FIXED='a b'${arrays ? '; LIST=(one "two words" ""); declare -A MAP=([k]="v w")' : ''}`));
        printed(await shell.exec('printf %s "$FIXED"'), 'a b');
        printed(await shell.exec('(FIXED=other) 2>/dev/null; printf %s "$FIXED"'), 'a b');
        const list = arrays ? 'printf "%s," "${LIST[@]}" "${#LIST[@]}" "${MAP[k]}"' : 'printf "one,two words,,3,v w,"';
        printed(await shell.exec(list), 'one,two words,,3,v w,');
      }),
  },
  {
    id: 'S1.functions',
    title: 'functions go from command to command, heredocs and quotes in them included',
    run: (context) =>
      withShell(context, async (shell) => {
        exited(await shell.exec('greet() {\n  cat <<END\nhello "$1" it\'s $2\nEND\n}\nouter() { greet "$1" "$(greet x y)"; return 4; }'));
        exited(await shell.exec('outer2() { outer "$@"; }'));
        const result = await shell.exec('outer2 a');
        exited(result, 4);
        equal(result.stdout, 'hello "a" it\'s hello "x" it\'s y\n', 'stdout');
        exited(await shell.exec('unset -f greet'));
        exited(await shell.exec('greet 2>/dev/null'), 127);
      }),
  },
  {
    id: 'S1.aliases',
    title: 'aliases go from command to command and are expanded',
    run: (context) =>
      withShell(context, async (shell) => {
        if (context.shell === 'bash') exited(await shell.exec('shopt -s expand_aliases'));
        exited(await shell.exec(`alias say='printf "<%s>"'`));
        printed(await shell.exec('say hello'), '<hello>');
        exited(await shell.exec('unalias say'));
        exited(await shell.exec('say hello 2>/dev/null'), 127);
      }),
  },
  {
    id: 'S1.overridden',
    title: 'functions and aliases that stand for builtins are the user’s alone: the session itself does not trip over them',
    run: (context) =>
      withShell(context, async (shell) => {
        const directory = await context.directory();
        if (context.shell === 'bash') exited(await shell.exec('shopt -s expand_aliases'));
        exited(
          await shell.exec(`cd() { command cd "$@" && echo "now in $1"; }; printf() { echo overridden; }; alias() { echo overridden; }`),
        );
        exited(
          await shell.exec(`alias() { command alias "$@"; }; \\command alias cat='echo cat' [='echo test' trap='echo trap' set='echo set'`),
        );
        printed(await shell.exec(`cd ${directory}; x=1`), `now in ${directory}\n`);
        const result = await shell.exec('echo "$x" "$PWD"; printf; cat it');
        printed(result, `1 ${directory}\noverridden\ncat it\n`);
        equal(result.cwd, directory, 'the directory afterwards');
      }),
  },
  {
    id: 'S1.options',
    title: 'options of set and shopt go from command to command',
    run: (context) =>
      withShell(context, async (shell) => {
        const directory = await context.directory();
        exited(await shell.exec(`cd ${directory} && touch a.x b.x && set -f -u`));
        printed(await shell.exec('echo *.x'), '*.x\n');
        ensure((await shell.exec('echo "$NEVER_SET_ANYWHERE"')).exitCode !== 0, 'set -u should still be in force');
        printed(await shell.exec('set +f; echo *.x'), 'a.x b.x\n');
        printed(await shell.exec('echo *.x'), 'a.x b.x\n');
        if (context.shell === 'bash') {
          exited(await shell.exec('shopt -s nullglob; set -o pipefail'));
          printed(await shell.exec('echo *.none'), '\n');
          exited(await shell.exec('exit 3 | true'), 3);
        } else {
          exited(await shell.exec('set -C; echo 1 >kept'));
          ensure((await shell.exec('(echo 2 >kept) 2>/dev/null')).exitCode !== 0, 'set -C should still be in force');
        }
      }),
  },
  {
    id: 'S1.trace',
    title: 'with set -x a session traces the user’s commands and nothing of Petasos’ own',
    run: (context) =>
      withShell(context, async (shell) => {
        await shell.exec('set -x');
        const traced = await shell.exec('echo hello');
        exited(traced);
        equal(traced.stdout, 'hello\n', 'stdout');
        ensure(
          /^\++ echo hello\n$/.test(traced.stderr),
          `one traced line was expected on stderr, observed ${JSON.stringify(traced.stderr)}`,
        );
        await shell.exec('set +x');
        printed(await shell.exec('echo quiet'), 'quiet\n');
      }),
  },
  {
    id: 'S1.umask',
    title: 'the umask goes from command to command',
    run: (context) =>
      withShell(context, async (shell) => {
        const directory = await context.directory();
        exited(await shell.exec('umask 027'));
        exited(await shell.exec(`: >${directory}/file`));
        equal((await context.sandbox.files.stat(`${directory}/file`)).mode, 0o640, 'the mode of a new file');
        exited(await shell.exec('umask 000'));
        exited(await shell.exec(`: >${directory}/open`));
        equal((await context.sandbox.files.stat(`${directory}/open`)).mode, 0o666, 'the mode of the next file');
      }),
  },
  {
    id: 'S1.start',
    title: 'a session starts in the directory and with the variables that it was made with',
    async run(context) {
      const directory = await context.directory();
      await withShell(context, async (shell) => printed(await shell.exec('printf "%s %s" "$PWD" "$GIVEN"'), `${directory} a\nb`), {
        cwd: directory,
        env: { GIVEN: 'a\nb' },
      });
      await withShell(context, async (shell) => printed(await shell.exec('pwd'), `${context.placement.workdir}\n`));
    },
  },
  {
    id: 'S1.streams',
    title: 'a session’s command gets its own stdin and end of file, and stdout and stderr stay apart',
    run: (context) =>
      withShell(context, async (shell) => {
        printed(await shell.exec('cat; echo end >&2', { stdin: 'a\nb' }), 'a\nb', 'end\n');
        printed(await shell.exec('cat; read line || echo nothing'), 'nothing\n');
        printed(await shell.exec('read first; printf %s "$first"', { stdin: 'kept\nunread\nunread\n' }), 'kept');
        printed(await shell.exec('printf %s "$first"'), 'kept');
        const bytes = await shell.exec("printf 'a\\000b\\377\\r\\n'");
        equal([...bytes.output.stdout.bytes], [0x61, 0, 0x62, 0xff, 0x0d, 0x0a], 'the bytes of stdout');
      }),
  },
  {
    id: 'S1.syntax-error',
    title: 'text that the shell cannot parse gives the shell’s own error and harms neither state nor session',
    run: (context) =>
      withShell(context, async (shell) => {
        exited(await shell.exec('KEPT=1'));
        for (const text of [
          'echo "unterminated',
          'if true; then',
          'echo )',
          'cat <<END\nnever ended',
          'echo trailing \\',
          'echo commented # out',
        ]) {
          const result = await shell.exec(text);
          equal(result.ended, 'exited', `the end of ${JSON.stringify(text)}`);
          printed(await shell.exec('printf %s "$KEPT"'), '1');
        }
      }),
  },
  {
    id: 'S1.background',
    title: 'a background child of a session delays nothing, lives on, and writes into no later result',
    run: (context) =>
      withShell(context, async (shell) => {
        const marker = context.marker();
        const directory = await context.directory();
        const go = `${directory}/go`;
        const child = `(${held(go)}; echo late; echo late >&2; echo wrote >${directory}/done; exec ${asleep(marker)})`;
        const { value } = await within(5000, 'the command in front of a background child', shell.exec(`${child} & echo front`));
        printed(value, 'front\n');
        await context.sandbox.files.write(go, '');
        printed(await shell.exec(`until [ -e ${directory}/done ]; do :; done; echo next`), 'next\n');
        await context.alive(marker);
        printed(await shell.exec('echo last'), 'last\n');
      }),
  },
]);
