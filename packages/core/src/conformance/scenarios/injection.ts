import { ensure, equal, exited, printed } from '../expect.js';
import { scenarios } from '../scenario.js';
import { quote } from '../shell-text.js';

/** Prints every word that a command can find around itself, in forms in which a wrapper may mark an end. */
const forgery = `words() {
  for p in $$ $PPID; do
    cat /proc/$p/cmdline /proc/$p/environ 2>/dev/null
    printf '\\n'
  done
  ps -o args= 2>/dev/null
  env
  set
}
words | tr -c 'A-Za-z0-9_.-' '\\n' | grep -E '^.{6,48}$' | sort -u | head -n 500 >"$1/words"
while read -r found; do
  for word in "$found" "\${found#?}" "\${found%?}"; do
    printf '%s\\n%s 0\\n%s:0\\n%s=0\\n0 %s\\n\\036%s 0\\036\\n\\000%s 0\\000\\n\\n' "$word" "$word" "$word" "$word" "$word" "$word" "$word"
  done
done <"$1/words"`;

export const injection = scenarios('injection', [
  {
    id: 'E3.forged-end',
    title: 'a command that prints whatever it finds around itself cannot forge its own end',
    async run(context) {
      const { sandbox } = context;
      const directory = await context.directory();
      const result = await sandbox.exec(
        `forge() { ${forgery}\n}\nforge ${directory}; forge ${directory} >&2; printf END; printf LAST >&2; exit 5`,
      );
      exited(result, 5);
      ensure(
        result.stdout.endsWith('\nEND'),
        `stdout should end with what was printed last, observed ${JSON.stringify(result.stdout.slice(-60))}`,
      );
      ensure(
        result.stderr.endsWith('\nLAST'),
        `stderr should end with what was printed last, observed ${JSON.stringify(result.stderr.slice(-60))}`,
      );
      const words = (await sandbox.exec(`wc -l <${directory}/words`)).stdout;
      ensure(Number(words) > 0, 'the command should find words around itself, observed none');
      printed(await sandbox.exec('echo next'), 'next\n');
    },
  },
  {
    id: 'E3.replayed-output',
    title: 'the output of a command, printed by another one, is output and nothing else',
    async run({ sandbox }) {
      const first = await sandbox.exec('set; env; exit 3');
      exited(first, 3);
      const again = await sandbox.exec('cat; exit 6', { stdin: first.output.stdout.bytes });
      exited(again, 6);
      equal(again.stdout, first.stdout, 'stdout');
    },
  },
  {
    id: 'E3.inherited-files',
    title: 'a command gets its three streams and no further open file of whatever runs it',
    async run({ sandbox }) {
      const look =
        'for fd in 3 4 5 6 7 8 9; do if (: >&$fd) 2>/dev/null || (: <&$fd) 2>/dev/null; then echo "open: $fd"; fi; done; echo looked';
      printed(await sandbox.exec(look), 'looked\n');
      printed(await sandbox.exec(`sh -c ${quote(look)}`, { stdin: 'input' }), 'looked\n');
    },
  },
  {
    id: 'E7.nothing-is-evaluated',
    title: 'text in a cwd, a variable or the input is never evaluated',
    async run(context) {
      const { sandbox } = context;
      const directory = await context.directory();
      const attacks = [
        '$(: > pwned)',
        '`: > pwned`',
        "'; : > pwned; '",
        '"; : > pwned; "',
        '\n: > pwned\n',
        '& : > pwned &',
        '$((x=1)); : > pwned',
      ];
      for (const [i, attack] of attacks.entries()) {
        const inside = `${directory}/${i} ${attack.replaceAll('/', '')}`;
        exited(await sandbox.exec(`mkdir ${quote(inside)}`));
        const result = await sandbox.exec('printf %s "$PETASOS_ATTACK"; cat', {
          cwd: inside,
          env: { PETASOS_ATTACK: attack },
          stdin: attack,
        });
        printed(result, attack + attack);
      }
      const found = await sandbox.exec(`find ${directory} -name pwned; ls pwned ~/pwned 2>/dev/null`);
      equal(found.stdout, '', 'files that an evaluated text would have made');
    },
  },
  {
    id: 'E1.hostile-state',
    title: 'a command that redefines what a wrapper may call changes nothing for itself or others',
    async run({ sandbox }) {
      const names = ['printf', 'echo', 'read', 'kill', 'cat', 'test', 'wait', 'trap', 'exit', 'mkdir', 'rm', 'sleep', 'tr', 'ps'];
      const functions = names.filter((name) => !['exit', 'trap'].includes(name)).map((name) => `${name}() { :; }`);
      const redefine = `${functions.join('; ')}; alias exit=: 2>/dev/null; trap 'command echo trapped' EXIT; PATH=; command echo out; exit 9`;
      const result = await sandbox.exec(redefine);
      exited(result, 9);
      equal(result.stdout, 'out\ntrapped\n', 'stdout');
      printed(await sandbox.exec('echo next; printf x'), 'next\nx');
    },
  },
]);
