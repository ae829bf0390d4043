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
      const result = await sandbox.exec('printf out; printf error >&2; sleep 1');
      printed(result, 'out', 'error');
      equal(result.signal, null, 'the signal');
      equal(result.output.stdout.totalBytes, 3, 'bytes written to stdout');
      equal(result.output.stderr.totalBytes, 5, 'bytes written to stderr');
      equal(result.output.stdout.text, 'out', 'the captured text');
      equal(result.output.stdout.cutBytes + result.output.stderr.cutBytes, 0, 'bytes cut');
      equal(result.output.stdout.spillPath, undefined, 'the spill file of an output that fits');
      ensure(result.durationMs >= 950 && result.durationMs < 6000, `the duration should be a second, observed ${result.durationMs} ms`);
    },
  },
  {
    id: 'E3.silent',
    title: 'a command without output gives two empty streams',
    async run({ sandbox }) {
      const result = await sandbox.exec('true');
      printed(result, '');
      equal(result.output.stdout.totalBytes + result.output.stderr.totalBytes, 0, 'bytes written');
    },
  },
  {
    id: 'E3.signal',
    title: 'a command that a signal ended says so and which one, and nothing is written that it did not write',
    async run({ sandbox }) {
      for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
        const result = await sandbox.exec(`echo before; kill -${signal.slice(3)} $$; sleep 5`);
        ended(result, 'signaled');
        equal(result.signal, signal, 'the signal');
        equal(result.stdout, 'before\n', 'stdout');
        equal(result.stderr, '', 'stderr');
      }
      printed(await sandbox.exec('echo next'), 'next\n');
    },
  },
  {
    id: 'E3.exit-124',
    title: 'a program that exits 124 by itself has exited, it has not timed out',
    async run({ sandbox }) {
      exited(await sandbox.exec('exit 124', { timeoutMs: 10_000 }), 124);
      exited(await sandbox.exec('exit 137', { timeoutMs: 10_000 }), 137);
    },
  },
  {
    id: 'E3.command-not-found',
    title: 'a program that does not exist gives the shell’s own status and message',
    async run({ sandbox }) {
      const result = await sandbox.exec('petasos-there-is-no-such-program');
      exited(result, 127);
      ensure(result.stderr.includes('petasos-there-is-no-such-program'), `stderr should name the program, observed ${result.stderr}`);
    },
  },
]);
