import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CapturedOutput, Sandbox } from '../../sandbox/types.js';
import { consume } from '../consume.js';
import { ensure, equal, exited, sameBytes, show } from '../expect.js';
import { memoryGrowth } from '../memory-growth.js';
import { type Context, scenarios } from '../scenario.js';

const mib = 1024 * 1024;

/** Writes ascending numbers in lines of eight bytes, so that every place of the output is recognisable. */
const numbers = (count: number) => `i=1000000; while [ $i -lt ${1_000_000 + count} ]; do echo $i; i=$((i+1)); done`;
const numbered = (count: number) => Buffer.from(Array.from({ length: count }, (_, i) => `${1_000_000 + i}\n`).join(''));

async function checkCut(output: CapturedOutput, whole: Buffer, limit: number, what: string): Promise<void> {
  equal(output.totalBytes, whole.length, `bytes written to ${what}`);
  equal(output.cutBytes, whole.length - output.bytes.length, `bytes cut from ${what}`);
  ensure(
    output.bytes.length <= limit && output.bytes.length > limit * 0.9,
    `${what} should keep about ${limit} bytes, observed ${output.bytes.length}`,
  );
  const head = Math.floor(limit * 0.4);
  sameBytes(output.bytes.subarray(0, head), whole.subarray(0, head), `the head of ${what}`);
  const tail = Math.min(Math.floor(limit * 0.6), output.bytes.length - head);
  sameBytes(output.bytes.subarray(output.bytes.length - tail), whole.subarray(whole.length - tail), `the tail of ${what}`);
  ensure(output.spillPath !== undefined, `${what} was cut, so its whole should be in a file; observed none`);
  equal((await stat(output.spillPath)).mode & 0o777, 0o600, `the mode of the spill file of ${what}`);
  sameBytes(await readFile(output.spillPath), whole, `the spill file of ${what}`);
}

async function removeSpills(...outputs: readonly CapturedOutput[]): Promise<void> {
  for (const { spillPath } of outputs) if (spillPath !== undefined) await rm(spillPath, { force: true });
}

/** Prints a random MiB a number of times, each with its number before it, and tells the digest of all that. */
async function bigOutput(
  context: Context,
  count: number,
): Promise<{ readonly command: string; readonly sha256: string; readonly bytes: number }> {
  const directory = await context.directory();
  const block = randomBytes(mib);
  exited(await context.sandbox.exec(`cat > ${directory}/block`, { stdin: block }));
  const hash = createHash('sha256');
  for (let i = 0; i < count; i++) hash.update(`${1000 + i}`).update(block);
  const command = `i=1000; while [ $i -lt ${1000 + count} ]; do printf %s $i; cat ${directory}/block; i=$((i+1)); done`;
  return { command, sha256: hash.digest('hex'), bytes: count * (mib + 4) };
}

async function spillOf(sandbox: Sandbox, command: string): Promise<CapturedOutput> {
  const result = await sandbox.exec(command);
  exited(result);
  return result.output.stdout;
}

export const memory = scenarios('memory', [
  {
    id: 'E11.head-and-tail',
    title: 'of a long output head and tail are kept, 40 to 60, and the whole is in a private file',
    async run({ sandbox }) {
      const result = await sandbox.exec(`${numbers(3000)}; exec >&2; ${numbers(2000)}`, { maxOutputBytes: 8000 });
      exited(result);
      const { stdout, stderr } = result.output;
      try {
        await checkCut(stdout, numbered(3000), 8000, 'stdout');
        await checkCut(stderr, numbered(2000), 8000, 'stderr');
        ensure(
          result.stdout.includes('1000000\n') && result.stdout.includes('1002999\n') && /\b16[ ,._]?000\b/.test(result.stdout),
          `the text should say between head and tail that 16000 bytes are missing, observed ${show(result.stdout.slice(3100, 3400))}`,
        );
      } finally {
        await removeSpills(stdout, stderr);
      }
    },
  },
  {
    id: 'E11.default-limit',
    title: 'without a limit of the caller 1 MiB of each stream is kept',
    async run({ sandbox }) {
      const fits = await sandbox.exec(`head -c ${mib} /dev/zero`);
      exited(fits);
      equal(
        [fits.output.stdout.bytes.length, fits.output.stdout.cutBytes, fits.output.stdout.spillPath],
        [mib, 0, undefined],
        'an output of 1 MiB',
      );
      const result = await sandbox.exec(`head -c ${mib + 1000} /dev/zero`);
      exited(result);
      const { stdout } = result.output;
      try {
        await checkCut(stdout, Buffer.alloc(mib + 1000), mib, 'stdout');
      } finally {
        await removeSpills(stdout);
      }
    },
  },
  {
    id: 'E11.spill-directory',
    title: 'the file with the whole output is where the caller wants it, or in a directory that only its user can enter',
    async run(context) {
      const directory = await context.localDirectory();
      const result = await context.sandbox.exec(numbers(200), { maxOutputBytes: 100, spillDirectory: directory });
      exited(result);
      const path = result.output.stdout.spillPath ?? '';
      equal(dirname(path), directory, 'the directory of the spill file');
      sameBytes(await readFile(path), numbered(200), 'the spill file');
      const elsewhere = (await context.sandbox.exec(numbers(200), { maxOutputBytes: 100 })).output.stdout;
      ensure(elsewhere.spillPath !== undefined, 'an output that was cut should have a spill file, observed none');
      const mode = (await stat(dirname(elsewhere.spillPath))).mode & 0o077;
      await removeSpills(elsewhere);
      equal(mode, 0, 'permissions of others on the directory of the spill file');
      equal((await readdir(directory)).length, 1, 'files in the directory of the caller');
    },
  },
  {
    id: 'E11.256-mib',
    title: '256 MiB of output add less than 32 MiB of memory, and the file with the whole is exact',
    deadlineMs: 60_000,
    async run(context) {
      const warm = await bigOutput(context, 24);
      await removeSpills(await spillOf(context.sandbox, warm.command));
      const big = await bigOutput(context, 256);
      let output: CapturedOutput | undefined;
      try {
        const grown = await memoryGrowth(async () => {
          output = await spillOf(context.sandbox, big.command);
        });
        equal(output?.totalBytes, big.bytes, 'bytes written');
        ensure(output?.spillPath !== undefined, 'the whole output should be in a file, observed none');
        equal((await consume(createReadStream(output.spillPath))).sha256, big.sha256, 'the SHA-256 of the file with the whole output');
        ensure(grown < 32 * mib, `memory should grow by less than 32 MiB, observed ${(grown / mib).toFixed(1)} MiB`);
      } finally {
        if (output !== undefined) await removeSpills(output);
      }
    },
  },
  {
    id: 'E11.backpressure',
    title: 'a consumer that does not read has nothing pile up in memory, and gets everything when it reads',
    deadlineMs: 60_000,
    async run(context) {
      const big = await bigOutput(context, 64);
      let read: Awaited<ReturnType<typeof consume>> | undefined;
      const grown = await memoryGrowth(async () => {
        const process = await context.sandbox.spawn(big.command);
        process.stderr.resume();
        await delay(700);
        read = await consume(process.stdout);
        exited(await process.exited);
      });
      equal(read, { bytes: big.bytes, sha256: big.sha256 }, 'size and SHA-256 of what was read late');
      ensure(grown < 32 * mib, `memory should grow by less than 32 MiB, observed ${(grown / mib).toFixed(1)} MiB`);
    },
  },
]);
