import { ensure, equal, printed, rejects, unsupported } from '../expect.js';
import { type Requirement, scenarios } from '../scenario.js';

const needsSnapshot: Requirement = {
  capability: 'snapshot',
  met: (capabilities) => capabilities.snapshot !== false,
  async absent(context) {
    await unsupported(context, 'snapshot', () => context.sandbox.snapshot());
    await unsupported(context, 'snapshot', () => context.open({ from: 'there-is-no-such-snapshot' }));
  },
};

export const snapshot = scenarios('snapshot', [
  {
    id: 'L7.files',
    title: 'a sandbox opened from a snapshot has the files of that moment and is independent of its origin',
    needs: needsSnapshot,
    own: true,
    deadlineMs: 180_000,
    async run(context) {
      const { sandbox } = context;
      const file = `${context.marker()}/file`;
      await sandbox.files.write(file, 'then', { mode: 0o640 });
      const id = await sandbox.snapshot();
      ensure(id.length > 0, 'the snapshot should have an id');
      await sandbox.files.write(file, 'later');
      const restored = await context.open({ from: id });
      equal([restored.origin, restored.id === sandbox.id], ['restored', false], 'origin, and whether it is the same sandbox');
      equal(await restored.files.readText(file), 'then', 'the file in the new sandbox');
      equal((await restored.files.stat(file)).mode, 0o640, 'its mode');
      await restored.files.write(file, 'elsewhere');
      printed(await sandbox.exec(`cat ${file}`), 'later');
      equal(await restored.jobs.list(), [], 'jobs of the new sandbox');
    },
  },
  {
    id: 'L7.unknown',
    title: 'a snapshot that does not exist is a typed error and makes no sandbox',
    needs: needsSnapshot,
    async run(context) {
      const name = context.name();
      await rejects(
        context.open({ name, from: 'there-is-no-such-snapshot' }),
        ['sandbox-not-found', 'invalid-request'],
        'an unknown snapshot',
      );
      equal((await context.open({ name })).origin, 'created', 'the origin of the next open of that name');
    },
  },
]);
