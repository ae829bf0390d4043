import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { ensure, equal, exited, printed, sameBytes, within } from '../expect.js';
import { each } from '../parallel.js';
import { type Requirement, scenarios } from '../scenario.js';

const everyByte = Uint8Array.from({ length: 1024 }, (_, i) => i % 256);

const exactInputs = [
  '',
  'x',
  'no newline',
  'one\n',
  '\n',
  'two\n\n',
  'cr\r\n',
  ' spaces ',
  '$HOME `x` \\ \'"',
  'Ω世🎉',
  '-n',
  'EOF\nEOF\n',
];

const liveStdin: Requirement = {
  capability: 'stdin',
  met: ({ stdin }) => stdin === 'stream',
  async absent({ sandbox }) {
    printed(await sandbox.exec('cat', { stdin: 'through a file' }), 'through a file');
    const process = await sandbox.spawn('cat; echo end', { stdin: 'pipe' });
    ensure(process.stdin !== undefined, 'a process spawned with stdin: pipe should have a stdin');
    process.stdin.end('all at once');
    const [stdout] = await Promise.all([process.stdout.toArray(), process.stderr.toArray()]);
    equal(Buffer.concat(stdout).toString(), 'all at onceend\n', 'the output after the input has ended');
  },
};

export const stdin = scenarios('stdin', [
  {
    id: 'E2.none',
    title: 'a command without stdin reads an immediate end of file',
    async run({ sandbox }) {
      const { value } = await within(
        2500,
        'a command that reads its stdin',
        sandbox.exec('cat; echo "status $?"; read line; echo "read $?"'),
      );
      printed(value, 'status 0\nread 1\n');
    },
  },
  {
    id: 'E2.exact',
    title: 'a string arrives exactly: no newline added or taken, then end of file',
    async run({ sandbox }) {
      await each(exactInputs, async (input) => {
        const { value } = await within(5000, 'a command that reads its stdin to the end', sandbox.exec('cat', { stdin: input }));
        printed(value, input);
      });
    },
  },
  {
    id: 'E2.bytes',
    title: 'every byte arrives, NUL and invalid UTF-8 included',
    async run({ sandbox }) {
      const result = await sandbox.exec('cat', { stdin: everyByte });
      exited(result);
      sameBytes(result.output.stdout.bytes, everyByte, 'what cat gave back');
    },
  },
  {
    id: 'E2.stream',
    title: 'a stream arrives whole, its last piece included',
    async run({ sandbox }) {
      const pieces = ['first ', 'second ', '', 'third', '\n', 'last'];
      const { value } = await within(
        5000,
        'a command fed by a stream',
        sandbox.exec('cat', { stdin: Readable.from(pieces.map((piece) => Buffer.from(piece))) }),
      );
      printed(value, pieces.join(''));
    },
  },
  {
    id: 'E2.large',
    title: '3 MiB of input arrive byte for byte',
    async run({ sandbox }) {
      const input = randomBytes(3 * 1024 * 1024 + 7);
      const pieces = Array.from({ length: 49 }, (_, i) => input.subarray(i * 65_536, (i + 1) * 65_536));
      for (const stdin of [input, Readable.from(pieces)]) {
        const result = await sandbox.exec('cat', { stdin, maxOutputBytes: 4 * 1024 * 1024 });
        exited(result);
        sameBytes(result.output.stdout.bytes, input, 'what cat gave back');
      }
    },
  },
  {
    id: 'E2.unread',
    title: 'input that the command does not read neither fails nor delays it',
    async run({ sandbox }) {
      const input = Buffer.alloc(1024 * 1024, 'y\n');
      const ignoring = await within(5000, 'a command that ignores its input', sandbox.exec('exit 3', { stdin: input }));
      exited(ignoring.value, 3);
      const partly = await within(5000, 'a command that reads a part', sandbox.exec('head -c 4', { stdin: input }));
      printed(partly.value, 'y\ny\n');
      printed(await sandbox.exec('cat'), '');
    },
  },
  {
    id: 'E2.endless-stream',
    title: 'a stream that never ends does not hold up a command that has ended',
    async run({ sandbox }) {
      const endless = new Readable({ read() {} });
      endless.push('one\n');
      const { value } = await within(
        5000,
        'a command that reads one line',
        sandbox.exec('read line; echo "got $line"', { stdin: endless }),
      );
      printed(value, 'got one\n');
      endless.destroy();
    },
    needs: liveStdin,
  },
  {
    id: 'E2.spawn-pipe',
    title: 'a spawned process answers what is written to its stdin while it runs',
    needs: liveStdin,
    async run(context) {
      const process = await context.sandbox.spawn('while read -r line; do echo "<$line>"; done; echo end', { stdin: 'pipe' });
      const { stdin } = process;
      ensure(stdin !== undefined, 'a process spawned with stdin: pipe should have a stdin');
      let answer = '';
      process.stdout.on('data', (chunk: Buffer) => {
        answer += chunk.toString();
      });
      process.stderr.resume();
      stdin.write('one\n');
      await context.eventually('the answer to the first line', () => answer === '<one>\n');
      stdin.write('two\n');
      await context.eventually('the answer to the second line', () => answer === '<one>\n<two>\n');
      stdin.end();
      exited((await within(5000, 'the end after end of file', process.exited)).value);
      await context.eventually('the rest of the output', () => answer === '<one>\n<two>\nend\n');
      equal(answer, '<one>\n<two>\nend\n', 'all answers');
    },
  },
]);
