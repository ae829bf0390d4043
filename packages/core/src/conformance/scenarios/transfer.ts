import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Progress } from '../../contract/index.js';
import { awkwardNames } from '../awkward-names.js';
import { ensure, equal, exited, printed, rejects } from '../expect.js';
import { describeTree, makeRemovable, makeTree, type TreeEntry } from '../local-tree.js';
import { type Context, scenarios } from '../scenario.js';

const past = new Date('2021-02-03T04:05:06Z');

const variedTree: readonly TreeEntry[] = [
  { path: 'empty file', content: '' },
  { path: 'bytes', content: Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256), modifiedAt: past },
  { path: 'bin/run', content: '#!/bin/sh\necho ran\n', mode: 0o755 },
  { path: 'private/key', content: 'key', mode: 0o600, modifiedAt: past },
  { path: 'private', directory: true, mode: 0o700 },
  { path: 'locked/file', content: 'kept', mode: 0o444 },
  { path: 'locked', directory: true, mode: 0o555 },
  { path: 'empty/deep', directory: true },
  { path: 'link to file', target: 'bin/run' },
  { path: 'bin/up', target: '../private' },
  { path: 'dangling', target: 'no where' },
];

export const transfer = scenarios('transfer', [
  {
    id: 'F2.tree',
    title: 'a tree goes up and comes back with contents, modes, times and symlinks, and the counts say so',
    run: (context) =>
      roundTrip(context, variedTree, async (remote) => {
        printed(
          await context.sandbox.exec('./bin/run && cat "link to file" | head -n 1 && ls -d empty/deep', { cwd: remote }),
          'ran\n#!/bin/sh\nempty/deep\n',
        );
        const info = await context.sandbox.files.stat(`${remote}/bytes`);
        equal(info.modifiedAt.toISOString(), past.toISOString(), 'the time of a file on the target');
      }),
  },
  {
    id: 'F2.names',
    title: 'a tree keeps names of any characters, and paths longer than an archive’s plain header holds',
    run: (context) =>
      roundTrip(context, [
        ...awkwardNames.map((name) => ({ path: `names/${name}`, content: name })),
        ...awkwardNames.map((name) => ({ path: `targets/${name}`, target: `../names/${name}` })),
        ...awkwardNames.map((name) => ({ path: `directories/${name}/file`, content: name })),
        { path: `${'a directory/'.repeat(30)}file`, content: 'deep' },
        { path: 'ü'.repeat(127), content: 'a name of 254 bytes' },
        { path: 'long target', target: 'x/'.repeat(150) },
      ]),
  },
  {
    id: 'F2.many',
    title: 'a tree of 600 files goes up and comes back whole',
    run: (context) =>
      roundTrip(
        context,
        Array.from({ length: 600 }, (_, i) => ({ path: `${i % 30}/file-${i}`, content: `${i}\n`.repeat(i % 50) })),
      ),
  },
  {
    id: 'F2.into-existing',
    title: 'an upload replaces files of the same name and leaves the others, as a download does',
    async run(context) {
      const { files } = context.sandbox;
      const [remote, local] = [await context.directory(), await context.localDirectory()];
      await files.write(`${remote}/tree/other`, 'kept');
      await files.write(`${remote}/tree/same`, 'old', { mode: 0o600 });
      await makeTree(local, [
        { path: 'same', content: 'new', mode: 0o640 },
        { path: 'deep/added', content: 'added' },
      ]);
      await files.upload(local, `${remote}/tree`);
      printed(await context.sandbox.exec('cat other same deep/added', { cwd: `${remote}/tree` }), 'keptnewadded');
      equal((await files.stat(`${remote}/tree/same`)).mode, 0o640, 'the mode of the replaced file');
      await files.write(`${remote}/tree/same`, 'newer');
      await writeFile(join(local, 'mine'), 'mine');
      await files.download(`${remote}/tree`, local);
      equal(await readFile(join(local, 'same'), 'utf8'), 'newer', 'the replaced local file');
      equal((await readdir(local)).sort(), ['deep', 'mine', 'other', 'same'], 'the local names');
    },
  },
  {
    id: 'F2.missing',
    title: 'a source that is missing or no directory is a typed error, and nothing is made at the destination',
    async run(context) {
      const { files } = context.sandbox;
      const [remote, local] = [await context.directory(), await context.localDirectory()];
      await writeFile(join(local, 'file'), '');
      await files.write(`${remote}/file`, '');
      await rejects(files.upload(join(local, 'missing'), `${remote}/made`), 'file-not-found', 'uploading a missing directory');
      await rejects(files.upload(join(local, 'file'), `${remote}/made`), 'file-not-directory', 'uploading a file');
      await rejects(files.download(`${remote}/missing`, join(local, 'made')), 'file-not-found', 'downloading a missing directory');
      await rejects(files.download(`${remote}/file`, join(local, 'made')), 'file-not-directory', 'downloading a file');
      await rejects(files.upload(local, `${remote}/file`), ['file-not-directory', 'file-exists'], 'uploading onto a file');
      equal([await readdir(local), (await files.list(remote)).map((info) => info.name)], [['file'], ['file']], 'the names on both sides');
    },
  },
  {
    id: 'F2.hard-link',
    title: 'a file with two names is downloaded under both, with its content',
    async run(context) {
      const [remote, local] = [await context.directory(), await context.localDirectory()];
      exited(await context.sandbox.exec('printf content >a && mkdir sub && ln a b && ln a sub/c', { cwd: remote }));
      const result = await context.sandbox.files.download(remote, local);
      for (const name of ['a', 'b', 'sub/c']) equal(await readFile(join(local, name), 'utf8'), 'content', `the content of ${name}`);
      equal(result.files, 3, 'the number of files');
    },
  },
  {
    id: 'F2.outside-link',
    title: 'a symlink that leads out of a downloaded tree is refused and nothing of the tree is kept, unless asked for',
    async run(context) {
      for (const [name, target] of [
        ['absolute', '/etc/passwd'],
        ['relative', '../../etc/passwd'],
        ['deep/er', '../../outside'],
      ] as const) {
        const [remote, local] = [await context.directory(), await context.localDirectory()];
        await context.sandbox.files.write(`${remote}/a-first`, 'harmless');
        await context.sandbox.files.write(`${remote}/zz-last`, 'harmless');
        exited(await context.sandbox.exec(`mkdir -p deep && ln -s ${target} ${name}`, { cwd: remote }));
        await writeFile(join(local, 'a-first'), 'mine');
        const error = await rejects(context.sandbox.files.download(remote, local), 'hostile-archive', `a link to ${target}`);
        ensure(
          JSON.stringify([error.message, error.data]).includes(name),
          `the error should name the entry ${name}, observed ${error.message}`,
        );
        equal(
          [await readdir(local), await readFile(join(local, 'a-first'), 'utf8')],
          [['a-first'], 'mine'],
          'the local directory afterwards',
        );
        await context.sandbox.files.download(remote, local, { outsideLinks: 'keep' });
        ensure(
          (await describeTree(local)).includes(`${JSON.stringify(name)} symlink ${JSON.stringify(target)}`),
          'the link should be kept when asked for',
        );
      }
    },
  },
  {
    id: 'F2.through-link',
    title: 'a download writes through no symlink of the destination to somewhere else',
    async run(context) {
      const [remote, local, outside] = [await context.directory(), await context.localDirectory(), await context.localDirectory()];
      await writeFile(join(outside, 'file'), 'untouched');
      await symlink(outside, join(local, 'sub'));
      await symlink(join(outside, 'file'), join(local, 'plain'));
      await context.sandbox.files.write(`${remote}/sub/file`, 'from the place');
      await context.sandbox.files.write(`${remote}/plain`, 'from the place');
      await context.sandbox.files
        .download(remote, local)
        .catch((error: unknown) =>
          rejects(Promise.reject(error), ['hostile-archive', 'file-not-directory', 'file-exists'], 'a download over a symlink'),
        );
      equal(
        [await readdir(outside), await readFile(join(outside, 'file'), 'utf8')],
        [['file'], 'untouched'],
        'the directory that the link points at',
      );
    },
  },
  {
    id: 'F2.special-files',
    title: 'pipes and sockets are never made at the destination, and nothing waits for them',
    async run(context) {
      const { files } = context.sandbox;
      const [remote, local, target] = [await context.directory(), await context.localDirectory(), await context.localDirectory()];
      exited(await context.sandbox.exec('mkfifo pipe && printf kept >file', { cwd: remote }));
      const outcome = await files.download(remote, target).then(
        () => 'done',
        async (error: unknown) => (await rejects(Promise.reject(error), 'hostile-archive', 'downloading a pipe')).code,
      );
      equal(await readdir(target), outcome === 'done' ? ['file'] : [], 'what the download made');
      await writeFile(join(local, 'file'), 'kept');
      const server = createServer().listen(join(local, 'socket'));
      try {
        await new Promise((resolve) => server.once('listening', resolve));
        equal((await files.upload(local, `${remote}/up`)).skipped, ['socket'], 'what the upload says that it left out');
        equal(
          (await files.list(`${remote}/up`)).map((info) => info.name),
          ['file'],
          'what the upload made',
        );
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    },
  },
  {
    id: 'F2.set-user-id',
    title: 'a download drops set-user-id bits',
    async run(context) {
      const [remote, local] = [await context.directory(), await context.localDirectory()];
      exited(await context.sandbox.exec('printf x >program && chmod 4755 program', { cwd: remote }));
      await context.sandbox.files.download(remote, local);
      equal((await stat(join(local, 'program'))).mode & 0o7777, 0o755, 'the mode of the local file');
    },
  },
  {
    id: 'F2.ignore',
    title: 'patterns in gitignore syntax are left out in both directions',
    async run(context) {
      const { files } = context.sandbox;
      const [remote, local, back] = [await context.directory(), await context.localDirectory(), await context.localDirectory()];
      const names = ['a.log', 'keep.log', 'sub/b.log', 'sub/code', 'modules/x/y', 'sub/modules/z', 'root', 'sub/root'];
      await makeTree(
        local,
        names.map((path) => ({ path, content: path })),
      );
      const ignore = ['*.log', '!keep.log', 'modules/', '/root'];
      const expected = ['keep.log', 'sub', 'sub/code', 'sub/root'];
      const result = await files.upload(local, `${remote}/up`, { ignore });
      equal([result.files, result.directories], [3, 1], 'the counts of the upload');
      printed(
        await context.sandbox.exec('find . | sort', { cwd: `${remote}/up`, env: { LC_ALL: 'C' } }),
        `${['.', ...expected.map((path) => `./${path}`)].join('\n')}\n`,
      );
      await files.upload(local, `${remote}/all`);
      await files.download(`${remote}/all`, back, { ignore });
      equal(
        (await describeTree(back)).map((line) => JSON.parse(line.split(/ (?:file|directory)/)[0] ?? '')),
        expected,
        'the local names',
      );
    },
  },
  {
    id: 'F2.progress',
    title: 'progress grows and ends at what was moved',
    async run(context) {
      const { files } = context.sandbox;
      const [remote, local, back] = [await context.directory(), await context.localDirectory(), await context.localDirectory()];
      await makeTree(
        local,
        Array.from({ length: 20 }, (_, i) => ({ path: `${i}`, content: Buffer.alloc(50_000, i) })),
      );
      const check = (events: readonly Progress[], what: string) => {
        for (const [unit, total] of [
          ['bytes', 1_000_000],
          ['items', 20],
        ] as const) {
          const done = events.filter((event) => event.unit === unit).map((event) => event.done ?? -1);
          equal(
            [...done].sort((a, b) => a - b),
            done,
            `${what}: the ${unit} in order`,
          );
          equal(done.at(-1), total, `${what}: the last ${unit}`);
        }
      };
      const [up, down]: [Progress[], Progress[]] = [[], []];
      await files.upload(local, remote, { onProgress: (event) => void up.push(event) });
      check(up, 'upload');
      await files.download(remote, back, { onProgress: (event) => void down.push(event) });
      check(down, 'download');
    },
  },
  {
    id: 'F2.abort',
    title: 'an aborted transfer rejects, leaves the local tree as it was, and the sandbox goes on',
    async run(context) {
      const { files } = context.sandbox;
      const [remote, local, back] = [await context.directory(), await context.localDirectory(), await context.localDirectory()];
      await makeTree(
        local,
        Array.from({ length: 24 }, (_, i) => ({ path: `${i}`, content: Buffer.alloc(1_000_000, i) })),
      );
      await rejects(
        files.upload(local, `${remote}/never`, { signal: AbortSignal.abort() }),
        'aborted',
        'an upload aborted before it starts',
      );
      await rejects(files.stat(`${remote}/never`), 'file-not-found', 'the destination of an upload that never started');
      await files.upload(local, `${remote}/up`);
      await rejects(files.upload(local, `${remote}/part`, { signal: AbortSignal.timeout(10) }), 'aborted', 'an upload aborted on its way');
      await rejects(files.download(`${remote}/up`, back, { signal: AbortSignal.timeout(10) }), 'aborted', 'a download aborted on its way');
      equal(await readdir(back), [], 'the local directory after an aborted download');
      await files.download(`${remote}/up`, back);
      equal(await describeTree(back), await describeTree(local), 'the tree after a second try');
    },
  },
]);

/** Up, a look at it, and down again: both trees must be equal. */
async function roundTrip(context: Context, entries: readonly TreeEntry[], look?: (remote: string) => Promise<void>): Promise<void> {
  const [remote, local, back] = [`${await context.directory()}/made/here`, await context.localDirectory(), await context.localDirectory()];
  const target = join(back, 'made');
  await mkdir(target);
  try {
    await makeTree(local, entries);
    const expected = await describeTree(local);
    const up = await context.sandbox.files.upload(local, remote);
    await look?.(remote);
    const down = await context.sandbox.files.download(remote, target);
    const observed = await describeTree(target);
    equal(
      observed.filter((line) => !expected.includes(line)),
      [],
      'entries that came back and were not sent',
    );
    equal(
      expected.filter((line) => !observed.includes(line)),
      [],
      'entries that were sent and did not come back',
    );
    const count = (kind: string) => expected.filter((line) => line.includes(`" ${kind}`)).length;
    for (const [what, result] of [
      ['upload', up],
      ['download', down],
    ] as const) {
      equal(
        [result.files, result.directories, result.symlinks],
        [count('file'), count('directory'), count('symlink')],
        `the counts of the ${what}`,
      );
    }
  } finally {
    await makeRemovable(local);
    await makeRemovable(target);
  }
}
