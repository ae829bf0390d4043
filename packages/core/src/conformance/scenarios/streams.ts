import { setTimeout as delay } from 'node:timers/promises';
import { ensure, equal, exited, printed, within } from '../expect.js';
import { scenarios } from '../scenario.js';
import { nap } from '../shell-text.js';

const lines = (word: string, count: number) => Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join('');

export const streams = scenarios('streams', [
  {
    id: 'E10.apart',
    title: 'stdout and stderr stay apart, each in order',
    async run({ sandbox }) {
      const result = await sandbox.exec('i=0; while [ $i -lt 500 ]; do echo "out $i"; echo "err $i" >&2; i=$((i+1)); done');
      printed(result, lines('out', 500), lines('err', 500));
    },
  },
  {
    id: 'E10.stderr-only',
    title: 'what is written to stderr never shows up in stdout',
    async run({ sandbox }) {
      printed(await sandbox.exec('echo problem >&2'), '', 'problem\n');
    },
  },
  {
    id: 'E10.last-chunk',
    title: 'the end of an output of any length is there',
    async run({ sandbox }) {
      for (const size of [1, 4095, 4096, 65_535, 65_536, 65_537, 300_001]) {
        const result = await sandbox.exec(`head -c ${size} /dev/zero | tr '\\0' x; printf END; printf LAST >&2`);
        exited(result);
        equal(result.output.stdout.totalBytes, size + 3, `bytes of an output of ${size} and END`);
        ensure(
          result.stdout.endsWith('xEND'),
          `an output of ${size} should end with END, observed ${JSON.stringify(result.stdout.slice(-10))}`,
        );
        equal(result.stderr, 'LAST', 'stderr');
      }
    },
  },
  {
    id: 'E10.live',
    title: 'output arrives while the command still runs',
    async run(context) {
      const { sandbox } = context;
      const directory = await context.directory();
      let seen = '';
      const running = sandbox.exec(`${nap}; echo first; while [ ! -e ${directory}/go ]; do nap; done; echo second`, {
        timeoutMs: 15_000,
        onStdout: (chunk) => {
          seen += Buffer.from(chunk).toString();
        },
      });
      await context.eventually('the first line before the command ends', () => seen === 'first\n', 3000);
      exited(await sandbox.exec(`: > ${directory}/go`));
      printed(await running, 'first\nsecond\n');
      equal(seen, 'first\nsecond\n', 'what the listener got');
    },
  },
  {
    id: 'E10.closed-early',
    title: 'a command that closes its own streams is waited for, and its status is the observed one',
    async run({ sandbox }) {
      const result = await sandbox.exec('echo before; exec >&- 2>&-; sleep 0.3 || sleep 1; exit 5');
      exited(result, 5);
      equal(result.stdout, 'before\n', 'stdout');
    },
  },
  {
    id: 'E10.spawn',
    title: 'spawn gives both streams live and the end',
    async run({ sandbox }) {
      const process = await sandbox.spawn('echo out; echo err >&2; exit 3');
      const [stdout, stderr, end] = await Promise.all([process.stdout.toArray(), process.stderr.toArray(), process.exited]);
      equal(Buffer.concat(stdout).toString(), 'out\n', 'stdout');
      equal(Buffer.concat(stderr).toString(), 'err\n', 'stderr');
      exited(end, 3);
      equal(process.stdin, undefined, 'the stdin of a process that was given none');
    },
  },
  {
    id: 'E10.slow-reader',
    title: 'a process whose output is read late loses nothing of it',
    async run({ sandbox }) {
      const process = await sandbox.spawn(
        `i=0; while [ $i -lt 2000 ]; do echo "line $i of a process that is read late"; i=$((i+1)); done; exit 2`,
      );
      await delay(300);
      const [stdout] = await Promise.all([process.stdout.toArray(), process.stderr.toArray()]);
      const { value } = await within(5000, 'the end after everything was read', process.exited);
      exited(value, 2);
      const expected = Array.from({ length: 2000 }, (_, i) => `line ${i} of a process that is read late\n`).join('');
      equal(Buffer.concat(stdout).toString(), expected, 'stdout');
    },
  },
]);
