import { consume } from '../consume.js';
import { ensure, equal, exited, fail, rejects } from '../expect.js';
import { scenarios } from '../scenario.js';

export const fileErrors = scenarios('files', [
  {
    id: 'F4.not-found',
    title: 'a missing path is file-not-found for every operation, and the error names the path',
    async run(context) {
      const { files } = context.sandbox;
      const path = `${await context.directory()}/missing $(echo no)`;
      const uses = [
        () => files.read(path),
        () => files.readStream(path).then(consume),
        () => files.list(path),
        () => files.stat(path),
        () => files.remove(path),
        () => files.remove(path, { recursive: true }),
        () => files.move(path, `${path} too`),
      ];
      for (const use of uses) {
        const error = await rejects(use(), 'file-not-found', 'using a missing path');
        ensure(error.message.includes(path) || error.data.path === path, `the error should name the path, observed ${error.message}`);
        equal(error.backend, context.sandbox.backend, 'the backend that the error names');
      }
    },
  },
  {
    id: 'F4.kind',
    title: 'a directory where a file is needed, and the reverse, are typed errors',
    async run(context) {
      const { files } = context.sandbox;
      const directory = await context.directory();
      await files.write(`${directory}/file`, 'kept');
      await files.mkdir(`${directory}/sub`);
      await rejects(files.read(`${directory}/sub`), 'file-is-directory', 'reading a directory');
      await rejects(files.readStream(`${directory}/sub`).then(consume), 'file-is-directory', 'streaming a directory');
      await rejects(files.write(`${directory}/sub`, 'x'), 'file-is-directory', 'writing to a directory');
      await rejects(files.list(`${directory}/file`), 'file-not-directory', 'listing a file');
      await rejects(files.read(`${directory}/file/below`), 'file-not-directory', 'reading below a file');
      await rejects(files.write(`${directory}/file/below`, 'x'), 'file-not-directory', 'writing below a file');
      await rejects(files.mkdir(`${directory}/file/below`), ['file-not-directory', 'file-exists'], 'making a directory below a file');
      equal(await files.readText(`${directory}/file`), 'kept', 'the file afterwards');
      equal(
        (await files.list(directory)).map((info) => info.name),
        ['file', 'sub'],
        'the names afterwards',
      );
    },
  },
  {
    id: 'F4.permission',
    title: 'what the user may not touch is file-permission; root may touch it',
    async run(context) {
      const { files } = context.sandbox;
      const directory = await context.directory();
      await files.write(`${directory}/locked/file`, 'secret');
      exited(await context.sandbox.exec(`cd ${directory} && chmod 000 locked/file && chmod 555 locked`));
      if (context.placement.user.uid === 0) {
        equal(await files.readText(`${directory}/locked/file`), 'secret', 'what root reads');
        await files.write(`${directory}/locked/new`, 'new');
        equal(await files.readText(`${directory}/locked/new`), 'new', 'what root wrote');
        return context.note('commands run as root here, whom no permission stops: file-permission was not seen');
      }
      await rejects(files.read(`${directory}/locked/file`), 'file-permission', 'reading a file of mode 000');
      await rejects(files.write(`${directory}/locked/new`, 'x'), 'file-permission', 'writing into a directory of mode 555');
      await rejects(files.remove(`${directory}/locked/file`), 'file-permission', 'removing from a directory of mode 555');
      await rejects(files.mkdir(`${directory}/locked/sub`), 'file-permission', 'making a directory in one of mode 555');
    },
  },
  {
    id: 'F4.no-space',
    title: 'a full disk is no-space, the old file stays and nothing is left beside it',
    hooks: ['fullDirectory'],
    async run(context) {
      const { files } = context.sandbox;
      const full = await context.subject.faults?.fullDirectory?.(context.sandbox);
      if (full === undefined) fail('the hook fullDirectory gave nothing');
      try {
        await files.write(`${full.path}/file`, 'old');
        const names = (await files.list(full.path)).map((info) => info.name);
        await rejects(
          files.write(`${full.path}/file`, Buffer.alloc(full.bytes + 65_536, 'n')),
          'no-space',
          'writing more than there is room for',
        );
        equal(await files.readText(`${full.path}/file`), 'old', 'the old file');
        equal(
          (await files.list(full.path)).map((info) => info.name),
          names,
          'the names afterwards',
        );
      } finally {
        await full.release();
      }
    },
  },
]);
