import type { LimitKind, Placement } from '../../contract/index.js';
import { ensure, equal, exited, fail, printed, rejects, show } from '../expect.js';
import { inMode, needsMode } from '../modes.js';
import { type Requirement, scenarios } from '../scenario.js';

const mib = 1024 * 1024;

const limitOf: Record<LimitKind, (placement: Placement) => number | undefined> = {
  cpu: ({ limits }) => limits.cpus,
  memory: ({ limits }) => limits.memoryMiB,
  disk: ({ limits }) => limits.diskGiB,
  pids: ({ limits }) => limits.pids,
};

const inForce = (kind: LimitKind) => (placement: Placement) => limitOf[kind](placement) !== undefined;

function needsLimit(kind: LimitKind): Requirement {
  return needsMode(`limits.${kind}`, (capabilities) => capabilities.limits.includes(kind), inForce(kind));
}

export const limits = scenarios('limits', [
  {
    id: 'limits.memory',
    title: 'a command that takes more memory than there is ends, says so, and takes nothing else with it',
    needs: needsLimit('memory'),
    deadlineMs: 60_000,
    run: (context) =>
      inMode(context, 'limits.memory', inForce('memory'), async (sandbox) => {
        const job = await sandbox.jobs.start('sleep 60');
        // A last line without an end makes tail keep all that it has read.
        const result = await sandbox.exec('exec tail -n 1 /dev/zero', { timeoutMs: 40_000 });
        if (result.ended === 'signaled') context.note('a command that ran out of memory is said to be killed, without the reason');
        else equal(result.ended, 'out-of-memory', 'the end of a command that takes all memory');
        equal(result.exitCode, null, 'the exit code');
        printed(await sandbox.exec('echo alive'), 'alive\n');
        equal((await sandbox.jobs.get(job.id)).state, 'running', 'the state of a job beside it');
      }),
  },
  {
    id: 'limits.cpu',
    title: 'commands together get no more processor time than the limit',
    needs: needsLimit('cpu'),
    run: (context) =>
      inMode(context, 'limits.cpu', inForce('cpu'), async (sandbox, placement) => {
        const cpus = placement.limits.cpus ?? fail('no limit is in force');
        const loops = Math.min(Math.ceil(cpus) + 1, 16);
        const busy = 'sh -c "while :; do :; done" & pids="$pids $!"; ';
        const result = await sandbox.exec(`pids=; ${busy.repeat(loops)} sleep 3; kill $pids; wait; times`);
        const [, user = '0', system = '0'] =
          /\n(\S+) (\S+)\n?$/.exec(result.stdout.trimEnd()) ?? fail(`times should print two lines, observed ${show(result.stdout)}`);
        const seconds = toSeconds(user) + toSeconds(system);
        ensure(seconds <= cpus * 3 * 1.4, `${loops} busy loops should get at most ${cpus * 3} s in 3 s, observed ${seconds} s`);
      }),
  },
  {
    id: 'limits.pids',
    title: 'commands cannot start more processes than the limit, and the sandbox outlives the attempt',
    needs: needsLimit('pids'),
    deadlineMs: 60_000,
    run: (context) =>
      inMode(context, 'limits.pids', inForce('pids'), async (sandbox, placement) => {
        const limit = placement.limits.pids ?? fail('no limit is in force');
        const attempt = `pids=; trap 'kill $pids; echo $n' EXIT; n=0; while [ $n -lt ${limit + 20} ]; do sleep 30 & pids="$pids $!"; n=$((n+1)); done`;
        const result = await sandbox.exec('exec sh -c "$ATTEMPT"', { env: { ATTEMPT: attempt }, timeoutMs: 40_000 });
        const started = Number(result.stdout.trim().split('\n').at(-1));
        ensure(started < limit, `fewer than ${limit} processes should have started, observed ${show(result.stdout)}`);
        await context.eventually(
          'a command after the attempt',
          async () => (await sandbox.exec('echo alive')).stdout === 'alive\n',
          10_000,
        );
      }),
  },
  {
    id: 'limits.disk',
    title: 'a full disk is told as no-space, and the sandbox works on when room is made',
    needs: needsLimit('disk'),
    deadlineMs: 120_000,
    run: (context) =>
      inMode(context, 'limits.disk', inForce('disk'), async (sandbox, placement) => {
        const file = context.marker();
        const limitMiB = (placement.limits.diskGiB ?? fail('no limit is in force')) * 1024;
        const fill = await sandbox.exec(`dd if=/dev/zero of=${file} bs=${mib} count=${Math.ceil(limitMiB) + 64}`, {
          timeoutMs: 100_000,
        });
        ensure(fill.exitCode !== 0, `${Math.ceil(limitMiB) + 64} MiB should not fit`);
        await rejects(sandbox.files.write(`${file}-too`, Buffer.alloc(8 * mib)), 'no-space', 'writing to a full disk');
        exited(await sandbox.exec(`rm ${file}`));
        await sandbox.files.write(file, 'fits');
        equal(await sandbox.files.readText(file), 'fits', 'a file after room was made');
      }),
  },
]);

/** `1m2.5s` as `times` prints it. */
function toSeconds(text: string): number {
  const [, minutes, seconds] = /^(\d+)m([\d.,]+)s$/.exec(text) ?? fail(`not a time: ${text}`);
  return Number(minutes) * 60 + Number(seconds?.replace(',', '.'));
}
