import { rm } from 'node:fs/promises';
import { equal, exited, fail, show } from '../expect.js';
import { describeSubject } from '../open.js';
import { type Context, scenarios } from '../scenario.js';

/** Places on the target where something of ours could be left. */
const listing = `for d in "\${TMPDIR:-/tmp}" /tmp /var/tmp /dev/shm /run/user/* "$HOME" "$HOME"/.cache "$HOME"/.local/state "$HOME"/.local/share; do
  ls -a1 "$d" 2>/dev/null
done
for d in "\${TMPDIR:-/tmp}"/petasos* /tmp/petasos* "$HOME"/.petasos* "$HOME"/.cache/petasos* "$HOME"/.local/*/petasos*; do
  test -d "$d" && find "$d" 2>/dev/null
done
true`;

function ofThisRun(context: Context, texts: readonly string[]): readonly string[] {
  // A name that a scenario made short on purpose could be part of anything.
  const names = [...context.run.opened].filter((name) => name.length >= 8);
  const own = context.sandbox;
  return texts.filter((text) => !text.includes(own.id) && !text.includes(own.name) && names.some((name) => text.includes(name)));
}

export const leftBehind = scenarios('leaks', [
  {
    id: 'L2.left-processes',
    title: 'after all sandboxes were destroyed no process of theirs is left on the target',
    atEnd: true,
    async run(context) {
      const left = await context.survivors(context.run.marker);
      equal(left, [], 'processes with the marker of the run');
    },
  },
  {
    id: 'L2.left-files',
    title: 'after all sandboxes were destroyed no file of theirs is left on the target',
    atEnd: true,
    async run(context) {
      const result = await context.sandbox.exec(listing, { maxOutputBytes: 16 * 1024 * 1024 });
      exited(result);
      // The listing of a machine that others use may be longer; its own spill file must not count as left behind.
      const { spillPath } = result.output.stdout;
      if (spillPath !== undefined) await rm(spillPath, { force: true });
      equal([...new Set(ofThisRun(context, result.stdout.split('\n')))], [], 'files named after the sandboxes of the run');
    },
  },
  {
    id: 'L2.left-here',
    title: 'after all sandboxes were destroyed this process has no temporary file and no open handle of theirs',
    atEnd: true,
    async run({ leftovers }) {
      if (leftovers === undefined) fail('the leftovers of the run were not measured');
      equal(leftovers.files, [], 'temporary files of this process');
      equal(leftovers.handles, {}, 'kinds of handles that this process holds more than before');
    },
  },
  {
    id: 'L4.left-listing',
    title: 'after all sandboxes were destroyed the backend lists none of them',
    atEnd: true,
    async run(context) {
      const { subject, hostEnv } = context;
      const { options } = await describeSubject(subject);
      const listed = await subject.backend.list(options, { env: hostEnv, platform: process.platform });
      const left = ofThisRun(
        context,
        listed.map((one) => `${one.ref.id} ${one.ref.name} ${one.state}`),
      );
      equal(left, [], `sandboxes of the run in a listing of ${show(listed.length)}`);
    },
  },
]);
