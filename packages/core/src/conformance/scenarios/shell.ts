import type { Shell } from '../../sandbox/types.js';
import { withShell } from '../borrow.js';
import { ended, ensure, equal, exited, fail, printed, rejects, within } from '../expect.js';
import { type Context, scenarios } from '../scenario.js';
import { asleep, held, nap } from '../shell-text.js';

export const shell = scenarios('shell', [
  {
    id: 'S2.exit',
    title: 'exit in a command ends the command with its status, and the state as it was then is kept',
    run: (context) =>
      withShell(context, async (shell) => {
        const directory = await context.directory();
        const result = await shell.exec(`VALUE=kept; export SHARED=kept; work() { echo worked; }; cd ${directory}; exit 3; VALUE=lost`);
        exited(result, 3);
        equal(result.cwd, directory, 'the cwd in the result');
        const next = await shell.exec('printf "%s %s %s " "$VALUE" "$SHARED" "$PWD"; work');
        printed(next, `kept kept ${directory} worked\n`);
        equal(next.restarted, false, 'restarted');
      }),
  },
  {
    id: 'S2.exit-function',
    title: 'exit inside a function or under set -e ends the command and not the session',
    run: (context) =>
      withShell(context, async (shell) => {
        exited(await shell.exec('leave() { VALUE=$1; exit "$1"; }'));
        exited(await shell.exec('leave 9'), 9);
        exited(await shell.exec('leave 11'), 11);
        exited(await shell.exec('set -e; VALUE=12; false; VALUE=lost'), 1);
        const strict = await shell.exec('printf %s "$VALUE"; false; printf no');
        exited(strict, 1);
        equal(strict.stdout, '12', 'stdout under set -e');
        exited(await shell.exec('set +e'));
        printed(await shell.exec('false; echo yes'), 'yes\n');
      }),
  },
  {
    id: 'S2.exec',
    title: 'exec in a command replaces the command’s shell and not the session, and redirections end with the command',
    run: (context) =>
      withShell(context, async (shell) => {
        exited(await shell.exec('VALUE=kept; work() { echo worked; }'));
        exited(await shell.exec("exec sh -c 'exit 6'"), 6);
        printed(await shell.exec('printf "%s " "$VALUE"; work'), 'kept worked\n');
        exited(await shell.exec('exec >/dev/null 2>&1 </dev/null'));
        printed(await shell.exec('echo out; echo error >&2'), 'out\n', 'error\n');
      }),
  },
  {
    id: 'S3.timeout',
    title: 'a timeout ends the command with its partial output and leaves the session with all that it had',
    run: (context) =>
      withShell(context, async (shell) => {
        const marker = context.marker();
        const directory = await context.directory();
        exited(await shell.exec(`cd ${directory}; export SHARED=kept; PLAIN=kept; work() { echo worked; }`));
        const { value } = await within(
          6000,
          'a timeout in a session',
          shell.exec(`echo part; ${asleep(marker)}`, { timeoutMs: 700, graceMs: 500 }).catch(fail),
        );
        ended(value, 'timed-out');
        equal(value.exitCode, null, 'the exit code');
        equal(value.stdout, 'part\n', 'the partial output');
        await context.gone(marker);
        await goesOn(context, shell, directory);
      }),
  },
  {
    id: 'S3.stubborn',
    title: 'a timeout ends children of a session that ignore TERM or called setsid, and the session goes on',
    run: (context) =>
      withShell(context, async (shell) => {
        const marker = context.marker();
        const directory = await context.directory();
        exited(await shell.exec(`cd ${directory}; export SHARED=kept; PLAIN=kept; work() { echo worked; }`));
        const command = `trap '' TERM; set -- ${asleep(marker)}; if command -v setsid >/dev/null; then setsid "$@" & fi; "$@" & "$@"`;
        const { value } = await within(6000, 'a timeout of a stubborn tree', shell.exec(command, { timeoutMs: 700, graceMs: 500 }));
        ended(value, 'timed-out');
        await context.gone(marker);
        await goesOn(context, shell, directory);
      }),
  },
  {
    id: 'S3.busy-shell',
    title: 'a timeout ends a loop that runs in the shell itself, and the session goes on',
    run: (context) =>
      withShell(context, async (shell) => {
        const directory = await context.directory();
        exited(await shell.exec(`cd ${directory}; export SHARED=kept; PLAIN=kept; work() { echo worked; }`));
        const { value } = await within(
          6000,
          'a timeout of a busy shell',
          shell.exec("trap '' TERM; while :; do :; done", { timeoutMs: 700, graceMs: 300 }),
        );
        ended(value, 'timed-out');
        await goesOn(context, shell, directory);
      }),
  },
  {
    id: 'S3.idle-timeout',
    title: 'silence ends a session’s command that has an idle timeout, and the session goes on',
    run: (context) =>
      withShell(context, async (shell) => {
        exited(await shell.exec('PLAIN=kept'));
        const { value } = await within(
          8000,
          'an idle timeout in a session',
          shell.exec('echo one; sleep 1; echo two; sleep 63', { idleTimeoutMs: 1500, graceMs: 300 }),
        );
        ended(value, 'idle-timed-out');
        equal(value.stdout, 'one\ntwo\n', 'the partial output');
        const next = await shell.exec('printf %s "$PLAIN"');
        printed(next, next.restarted ? '' : 'kept');
      }),
  },
  {
    id: 'S3.abort',
    title: 'an abort ends the command and not the session; aborted before the start it runs nothing',
    run: (context) =>
      withShell(context, async (shell) => {
        const marker = context.marker();
        const directory = await context.directory();
        exited(await shell.exec(`cd ${directory}; export SHARED=kept; PLAIN=kept; work() { echo worked; }`));
        const abort = new AbortController();
        const running = shell.exec(asleep(marker), { signal: abort.signal, graceMs: 300 });
        await context.alive(marker);
        abort.abort();
        ended((await within(6000, 'an aborted command of a session', running)).value, 'aborted');
        await context.gone(marker);
        await goesOn(context, shell, directory);
        ended(await shell.exec(`: >${directory}/ran`, { signal: AbortSignal.abort() }), 'aborted');
        await rejects(context.sandbox.files.stat(`${directory}/ran`), 'file-not-found', 'a file that an aborted command would have made');
        exited(await shell.exec(':'));
      }),
  },
  {
    id: 'S3.killed-shell',
    title: 'a command that kills its shell ends as signaled, and the next one runs where the session was',
    run: (context) =>
      withShell(context, async (shell) => {
        const directory = await context.directory();
        exited(await shell.exec(`cd ${directory}; export SHARED=kept; PLAIN=kept; work() { echo worked; }`));
        const { value } = await within(6000, 'a command that kills its shell', shell.exec('kill -KILL $$; sleep 1; exit 0'));
        ended(value, 'signaled');
        equal(value.signal, 'SIGKILL', 'the signal');
        await goesOn(context, shell, directory, 'may-restart');
      }),
  },
  {
    id: 'S3.not-restarted',
    title: 'a session whose commands ended by themselves never says that it was restarted',
    run: (context) =>
      withShell(context, async (shell) => {
        for (const command of ['true', 'false', 'exit 4', 'sleep 1 & true', 'echo "open']) {
          equal((await shell.exec(command)).restarted, false, `restarted, at ${command}`);
        }
        equal((await shell.exec('true')).restarted, false, 'restarted, at the end');
      }),
  },
  {
    id: 'S4.deleted-cwd',
    title: 'a session whose directory was deleted goes on in the nearest ancestor that exists, and says so once',
    run: (context) =>
      withShell(context, async (shell) => {
        const directory = await context.directory();
        exited(await shell.exec(`mkdir -p ${directory}/a/b/c && cd ${directory}/a/b/c && VALUE=kept`));
        exited(await context.sandbox.exec(`rm -rf ${directory}/a/b`));
        const next = await shell.exec('printf "%s %s" "$PWD" "$VALUE"');
        printed(next, `${directory}/a kept`);
        equal(next.cwdFallback, `${directory}/a`, 'cwdFallback');
        equal(next.cwd, `${directory}/a`, 'cwd');
        equal((await shell.exec('pwd')).cwdFallback, undefined, 'cwdFallback of the command after');
      }),
  },
  {
    id: 'S4.own-deletion',
    title: 'a command that deletes the directory it is in does not end the session',
    run: (context) =>
      withShell(context, async (shell) => {
        const directory = await context.directory();
        exited(await shell.exec(`mkdir -p ${directory}/a/b && cd ${directory}/a/b && rm -rf ${directory}/a`));
        const next = await shell.exec('pwd');
        printed(next, `${directory}\n`);
        equal(next.cwdFallback, directory, 'cwdFallback');
      }),
  },
  {
    id: 'S4.recreated-cwd',
    title: 'a session whose directory was deleted and made again works in the new one',
    run: (context) =>
      withShell(context, async (shell) => {
        const directory = await context.directory();
        exited(await shell.exec(`mkdir ${directory}/a && cd ${directory}/a`));
        exited(await context.sandbox.exec(`rm -rf ${directory}/a && mkdir ${directory}/a && : >${directory}/a/new`));
        const next = await shell.exec('ls');
        printed(next, 'new\n');
        equal(next.cwdFallback, undefined, 'cwdFallback');
      }),
  },
  {
    id: 'S5.independent',
    title: 'sessions share no state, with each other or with plain commands, and do not wait for each other',
    run: (context) =>
      withShell(context, (one) =>
        withShell(context, async (two) => {
          exited(await one.exec('VALUE=one; export SHARED=one; cd /; work() { echo one; }'));
          printed(
            await two.exec('printf "%s %s " "${VALUE-unset}" "${SHARED-unset}"; work 2>/dev/null || pwd'),
            `unset unset ${context.placement.workdir}\n`,
          );
          printed(await context.sandbox.exec('printf "%s %s" "${VALUE-unset}" "${SHARED-unset}"'), 'unset unset');
          const go = `${await context.directory()}/go`;
          const slow = one.exec(`${held(go)}; echo slow`);
          try {
            await within(5000, 'a command of another session', two.exec('echo quick'));
            await within(5000, 'a plain command beside a session', context.sandbox.exec('echo quick'));
          } finally {
            await context.sandbox.files.write(go, '');
          }
          printed(await slow, 'slow\n');
        }),
      ),
  },
  {
    id: 'S5.same-name',
    title: 'one name is one session',
    run: (context) =>
      withShell(context, async (shell) => {
        exited(await shell.exec('VALUE=kept'));
        printed(await context.sandbox.shell(shell.name).exec('printf %s "$VALUE"'), 'kept');
      }),
  },
  {
    id: 'S5.order',
    title: 'commands to one session run in order, one at a time, also when an earlier one times out or was aborted',
    run: (context) =>
      withShell(context, async (shell) => {
        const abort = new AbortController();
        const results = [
          shell.exec(`N=1; ${nap}; nap; printf %s "$N"`),
          shell.exec('N=${N}2; sleep 30', { timeoutMs: 500, graceMs: 200 }),
          shell.exec('printf no', { signal: abort.signal }),
          shell.exec('M=3; printf %s "$M"'),
          shell.exec('printf %s "${M}4"'),
        ];
        abort.abort();
        const [first, second, third, fourth, fifth] = await Promise.all(results);
        if (!first || !second || !third || !fourth || !fifth) fail('five results were expected');
        printed(first, '1');
        ended(second, 'timed-out');
        ended(third, 'aborted');
        equal(third.stdout, '', 'stdout of a command aborted in the queue');
        printed(fourth, '3');
        printed(fifth, '34');
      }),
  },
  {
    id: 'S5.gives-up',
    title: 'a command that is aborted while another one is at work in its session ends at once, and the other one goes on',
    run: (context) =>
      withShell(context, async (shell) => {
        const go = `${await context.directory()}/go`;
        const first = shell.exec(`${held(go)}; N=first`);
        try {
          const abort = new AbortController();
          const second = shell.exec('N=second', { signal: abort.signal });
          abort.abort();
          const { value } = await within(5000, 'an aborted command that waits for its turn', second);
          ended(value, 'aborted');
        } finally {
          await context.sandbox.files.write(go, '');
        }
        exited(await first);
        printed(await shell.exec('printf %s "$N"'), 'first');
      }),
  },
  {
    id: 'S5.closed',
    title: 'a closed session refuses commands with a typed error, and closing it again is fine',
    async run(context) {
      const shell = context.sandbox.shell(context.marker());
      exited(await shell.exec(':'));
      await shell.close();
      await shell.close();
      await rejects(shell.exec('echo no'), 'closed', 'a command to a closed session');
    },
  },
  {
    id: 'S6.many',
    title: 'eight sessions work at once beside plain commands',
    async run(context) {
      const prefix = context.marker();
      const sessions = Array.from({ length: 8 }, (_, i) => context.sandbox.shell(`${prefix}-${i}`));
      try {
        await Promise.all(sessions.map(async (session, i) => exited(await session.exec(`VALUE=${i}; ${nap}; nap`))));
        printed(await context.sandbox.exec('echo beside'), 'beside\n');
        await Promise.all(sessions.map(async (session, i) => printed(await session.exec('printf %s "$VALUE"'), String(i))));
      } finally {
        await Promise.all(sessions.map((session) => session.close()));
      }
    },
  },
]);

/**
 * The session is what it was: cwd and exported variables always; the rest unless it says that it was restarted. Bash
 * can carry the rest over as well, so there a replaced shell is excused only where the command killed it.
 */
async function goesOn(context: Context, shell: Shell, cwd: string, restart: 'must-not' | 'may-restart' = 'must-not'): Promise<void> {
  const next = await shell.exec('printf "%s %s %s " "$PWD" "$SHARED" "${PLAIN-unset}"; work 2>/dev/null || echo gone');
  const excused = next.restarted && (restart === 'may-restart' || context.shell === 'sh');
  if (!excused) return printed(next, `${cwd} kept kept worked\n`);
  ensure(
    next.stdout.startsWith(`${cwd} kept `),
    `cwd and exported variables should be what they were, observed ${JSON.stringify(next.stdout)}`,
  );
}
