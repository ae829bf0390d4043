import { ended, ensure, equal, exited, printed } from '../expect.js';
import { scenarios } from '../scenario.js';

export const exec = scenarios('exec', [
  {
    id: 'E3.exit-code',
    title: 'a command that fails is a result with its exit code, not an error',
    async run({ sandbox }) {
      for (const code of [0, 1, 7, 255]) exited(await sandbox.exec(`exit ${code}`), code);
    },
  },
  {
    id: 'E3.result',
    title: 'a result holds both streams, their sizes and the duration',
    async run({ sandbox }) {
      const result = await sandbox.exec('printf out; printf error >&2');
      printed(result, 'out', 'error');
      equal(result.signal, null, 'the signal');
      equal(result.output.stdout.totalBytes, 3, 'bytes written to stdout');
      equal(result.output.stderr.totalBytes, 5, 'bytes written to stderr');
      equal(result.output.stdout.cutBytes + result.output.stderr.cutBytes, 0, 'bytes cut');
      equal(result.output.stdout.spillPath, undefined, 'the spill file of an output that fits');
      ensure(result.durationMs >= 0 && result.durationMs < 20_000, `the duration should be milliseconds, observed ${result.durationMs}`);
    },
  },
  {
    id: 'E3.duration',
    title: 'the duration is that of the command',
    async run({ sandbox }) {
      const result = await sandbox.exec('sleep 1');
      exited(result);
      ensure(result.durationMs >= 990 && result.durationMs < 5000, `sleep 1 should take about 1000 ms, observed ${result.durationMs}`);
    },
  },
  {
    id: 'E3.signal',
    title: 'a command that a signal ended says so and which one, without an exit code made up for it',
    async run({ sandbox }) {
      const result = await sandbox.exec('kill -KILL $$');
      ended(result, 'signaled');
      equal(result.signal, 'SIGKILL', 'the signal');
      equal((await sandbox.exec('echo still here')).stdout, 'still here\n', 'the next command');
    },
  },
  {
    id: 'E3.exit-124',
    title: 'a program that exits 124 by itself has exited, it has not timed out',
    async run({ sandbox }) {
      exited(await sandbox.exec('exit 124', { timeoutMs: 5000 }), 124);
    },
  },
  {
    id: 'E3.command-not-found',
    title: 'a program that does not exist gives the shell’s own status and message',
    async run({ sandbox }) {
      const result = await sandbox.exec('petasos-there-is-no-such-program');
      exited(result, 127);
      ensure(
        result.stderr.includes('petasos-there-is-no-such-program'),
        `the shell should name the program on stderr, observed ${result.stderr}`,
      );
    },
  },
]);
