import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { awkwardNames } from '../awkward-names.js';
import { ensure, equal, exited, printed, rejects, sameBytes } from '../expect.js';
import { each } from '../parallel.js';
import { scenarios } from '../scenario.js';

const everyByte = Uint8Array.from({ length: 256 }, (_, i) => i);

export const files = scenarios('files', [
  {
    id: 'F1.bytes',
    title: 'what is written is read back byte for byte, and a command sees the same bytes',
    async run(context) {
      const { files } = context.sandbox;
      const directory = await context.directory();
      const contents = [
        new Uint8Array(),
        everyByte,
        Buffer.from('no newline at the end'),
        Buffer.from('\r\n\r\n\0\n'),
        Buffer.from('c3a9c3', 'hex'),
        Buffer.alloc(300_000, everyByte),
      ];
      for (const [i, content] of contents.entries()) {
        await files.write(`${directory}/${i}`, content);
        sameBytes(await files.read(`${directory}/${i}`), content, `content ${i}`);
        sameBytes((await context.sandbox.exec(`cat ${directory}/${i}`)).output.stdout.bytes, content, `content ${i} for a command`);
      }
      await files.write(`${directory}/text`, 'grüße 🙂\n');
      equal(await files.readText(`${directory}/text`), 'grüße 🙂\n', 'text');
    },
  },
  {
    id: 'F1.range',
    title: 'a range gives exactly its bytes, and past the end it is shorter or empty',
    async run(context) {
      const { files } = context.sandbox;
      const path = `${await context.directory()}/file`;
      const content = Buffer.alloc(100_001, everyByte);
      await files.write(path, content);
      for (const [offset, length] of [
        [0, 1],
        [1, 3],
        [65_535, 2],
        [99_999, 10],
        [100_001, 1],
        [200_000, 5],
        [7, 0],
        [4095, 90_000],
      ] as const) {
        sameBytes(await files.read(path, { offset, length }), content.subarray(offset, offset + length), `${length} bytes from ${offset}`);
      }
      sameBytes(await files.read(path, { offset: 99_000 }), content.subarray(99_000), 'everything from 99000');
      sameBytes(await files.read(path, { length: 10 }), content.subarray(0, 10), 'the first ten bytes');
      for (const range of [{ offset: -1 }, { length: -1 }, { offset: 0.5 }]) {
        await rejects(files.read(path, range), 'invalid-request', `the range ${JSON.stringify(range)}`);
      }
    },
  },
  {
    id: 'F1.names',
    title: 'every operation takes any name: no character of it is looked at',
    async run(context) {
      const { files } = context.sandbox;
      const directory = await context.directory();
      const all = (work: (name: string) => Promise<void>) => each(awkwardNames, work);
      await all(async (name) => {
        const path = `${directory}/${name}`;
        await files.write(path, `content of ${name}`);
        equal(await files.readText(path), `content of ${name}`, `the content of ${JSON.stringify(name)}`);
        const info = await files.stat(path);
        equal([info.name, info.path, info.kind], [name, path, 'file'], `what stat says of ${JSON.stringify(name)}`);
      });
      const names = async (path: string) => (await files.list(path)).map((info) => info.name);
      equal((await names(directory)).sort(), [...awkwardNames].sort(), 'the list');
      await all((name) => files.move(`${directory}/${name}`, `${directory}/moved/${name}`));
      equal(await names(directory), ['moved'], 'the list after moving all');
      equal((await names(`${directory}/moved`)).sort(), [...awkwardNames].sort(), 'the list of what was moved');
      await all((name) => files.remove(`${directory}/moved/${name}`));
      equal(await names(`${directory}/moved`), [], 'the list after removing all');
      await all((name) => files.write(`${directory}/in/${name}/file`, name));
      equal((await names(`${directory}/in`)).sort(), [...awkwardNames].sort(), 'the list of directories made for their files');
      await all((name) => files.remove(`${directory}/in/${name}`, { recursive: true }));
      equal(await names(`${directory}/in`), [], 'the list after removing all directories');
      printed(await context.sandbox.exec(`find ${directory} "$PWD" -name petasos-injected 2>/dev/null`), '');
    },
  },
  {
    id: 'F1.relative',
    title: 'a relative path starts at the workdir, ~ at the home directory, and a NUL is refused',
    async run(context) {
      const { files } = context.sandbox;
      for (const [prefix, base] of [
        ['', context.placement.workdir],
        ['-', context.placement.workdir],
        ['./', context.placement.workdir],
        ['~/', context.placement.home],
      ] as const) {
        const name = `${prefix}${context.marker()}`;
        await files.write(name, 'here');
        try {
          const absolute = `${base.replace(/\/$/, '')}/${name.replace(/^(\.|~)\//, '')}`;
          equal(await files.readText(absolute), 'here', `what was written to ${name}`);
          equal(posix.normalize((await files.stat(name)).path), absolute, `the absolute path of ${name}`);
        } finally {
          await files.remove(name);
        }
      }
      for (const path of ['a\0b', '']) await rejects(files.read(path), 'invalid-request', `the path ${JSON.stringify(path)}`);
    },
  },
  {
    id: 'F1.atomic',
    title: 'a write puts a whole new file in place of the old one: who has the old one open goes on reading it',
    async run(context) {
      const { files } = context.sandbox;
      const directory = await context.directory();
      await files.write(`${directory}/file`, 'the old content');
      exited(await context.sandbox.exec(`cd ${directory} && ln file other`));
      await files.write(`${directory}/file`, 'new');
      equal(await files.readText(`${directory}/file`), 'new', 'the content by name');
      equal(await files.readText(`${directory}/other`), 'the old content', 'the content of the old file, held by a hard link');
      equal(
        (await files.list(directory)).map((info) => info.name),
        ['file', 'other'],
        'the names in the directory: nothing temporary is left',
      );
    },
  },
  {
    id: 'F1.interrupted',
    title: 'a write whose source fails leaves the old file and nothing beside it',
    async run(context) {
      const { files } = context.sandbox;
      const directory = await context.directory();
      await files.write(`${directory}/file`, 'the old content');
      const failing = () =>
        Readable.from(
          (async function* () {
            yield Buffer.alloc(200_000, 'n');
            throw new Error('the source fails');
          })(),
        );
      for (const name of ['file', 'absent']) {
        const outcome = await files.write(`${directory}/${name}`, failing()).then(
          () => 'success',
          () => 'an error',
        );
        equal(outcome, 'an error', 'a write whose source fails');
      }
      equal(await files.readText(`${directory}/file`), 'the old content', 'the content');
      equal(
        (await files.list(directory)).map((info) => info.name),
        ['file'],
        'the names in the directory',
      );
    },
  },
  {
    id: 'F1.mode',
    title: 'a new file has mode 0644 or the one asked for, whatever the umask; an old one keeps its mode',
    async run(context) {
      const { files } = context.sandbox;
      const directory = await context.directory();
      const mode = async (name: string) => (await files.stat(`${directory}/${name}`)).mode.toString(8);
      await files.write(`${directory}/deep/er/plain`, '1');
      equal(await mode('deep/er/plain'), '644', 'the default mode');
      await files.write(`${directory}/private`, '1', { mode: 0o600 });
      equal(await mode('private'), '600', 'the mode asked for');
      await files.write(`${directory}/open`, '1', { mode: 0o777 });
      equal(await mode('open'), '777', 'a mode that an umask would narrow');
      await files.write(`${directory}/private`, '2');
      equal(await mode('private'), '600', 'the mode of a file written again');
      await files.mkdir(`${directory}/made/deep`, { mode: 0o700 });
      equal(await mode('made/deep'), '700', 'the mode of a directory');
    },
  },
  {
    id: 'F1.symlink',
    title: 'a write goes through a symlink to its target, and the link stays',
    async run(context) {
      const { files } = context.sandbox;
      const directory = await context.directory();
      await files.write(`${directory}/sub/target`, 'old');
      exited(await context.sandbox.exec(`cd ${directory} && ln -s sub/target link`));
      await files.write(`${directory}/link`, 'new');
      const link = await files.stat(`${directory}/link`);
      equal([link.kind, link.target], ['symlink', 'sub/target'], 'the link');
      equal(await files.readText(`${directory}/sub/target`), 'new', 'the target');
    },
  },
  {
    id: 'F1.stat',
    title: 'stat tells kind, size, mode and time of files, directories, symlinks and pipes without following a link',
    async run(context) {
      const { files } = context.sandbox;
      const directory = await context.directory();
      exited(
        await context.sandbox.exec(
          `cd ${directory} && printf 12345 >file && chmod 640 file && touch -t 202001020304.05 file && mkdir sub && chmod 751 sub && ln -s 'no where' dangling && ln -s sub linked && mkfifo pipe`,
        ),
      );
      const file = await files.stat(`${directory}/file`);
      equal(
        [file.name, file.path, file.kind, file.size, file.mode, file.target],
        ['file', `${directory}/file`, 'file', 5, 0o640, undefined],
        'the file',
      );
      ensure(
        Math.abs(file.modifiedAt.getTime() - Date.UTC(2020, 0, 2, 3, 4, 5)) < 15 * 3600_000,
        `the file's time should be in January 2020, observed ${file.modifiedAt.toISOString()}`,
      );
      const sub = await files.stat(`${directory}/sub`);
      equal([sub.kind, sub.mode], ['directory', 0o751], 'the directory');
      const dangling = await files.stat(`${directory}/dangling`);
      equal([dangling.kind, dangling.target], ['symlink', 'no where'], 'the dangling link');
      equal((await files.stat(`${directory}/linked`)).kind, 'symlink', 'the kind of a link to a directory');
      equal((await files.stat(`${directory}/pipe`)).kind, 'other', 'the kind of a pipe');
    },
  },
  {
    id: 'F1.list',
    title: 'list gives the entries of one directory, sorted, hidden ones included, and follows no link',
    async run(context) {
      const { files } = context.sandbox;
      const directory = await context.directory();
      equal(await files.list(directory), [], 'an empty directory');
      exited(
        await context.sandbox.exec(
          `cd ${directory} && mkdir -p sub/deep && printf 123 >b && : >.hidden && ln -s sub link && : >sub/inside`,
        ),
      );
      const list = await files.list(directory);
      equal(
        list.map((info) => [info.name, info.path, info.kind]),
        [
          ['.hidden', `${directory}/.hidden`, 'file'],
          ['b', `${directory}/b`, 'file'],
          ['link', `${directory}/link`, 'symlink'],
          ['sub', `${directory}/sub`, 'directory'],
        ],
        'the list',
      );
      equal([list[1]?.size, list[2]?.target], [3, 'sub'], 'size and target in the list');
      exited(await context.sandbox.exec(`cd ${directory}/sub && i=0; while [ $i -lt 1500 ]; do : >"file $i"; i=$((i+1)); done`));
      equal((await files.list(`${directory}/sub`)).length, 1502, 'the number of entries of a large directory');
    },
  },
  {
    id: 'F1.undecodable-name',
    title: 'a name that is no text hides no other entry and fails no list',
    async run(context) {
      const directory = await context.directory();
      exited(await context.sandbox.exec(`cd ${directory} && : >a && : >z && { : >"$(printf 'b\\377c')"; } 2>/dev/null || : >plain`));
      const names = (await context.sandbox.files.list(directory)).map((info) => info.name);
      equal([names.length, names[0], names[2]], [3, 'a', 'z'], 'the number of entries, the first and the last');
    },
  },
  {
    id: 'F1.mkdir',
    title: 'mkdir makes parents, leaves a directory that exists, and refuses to replace a file',
    async run(context) {
      const { files } = context.sandbox;
      const directory = await context.directory();
      await files.mkdir(`${directory}/a/b/c`);
      equal((await files.stat(`${directory}/a/b/c`)).kind, 'directory', 'what was made');
      await files.write(`${directory}/a/file`, 'kept');
      await files.mkdir(`${directory}/a`);
      equal(await files.readText(`${directory}/a/file`), 'kept', 'what was in it');
      await rejects(files.mkdir(`${directory}/a/file`), 'file-exists', 'mkdir over a file');
    },
  },
  {
    id: 'F1.remove',
    title: 'remove takes a directory only when asked to, and a link without what it points at',
    async run(context) {
      const { files } = context.sandbox;
      const directory = await context.directory();
      await files.write(`${directory}/kept/file`, 'kept');
      await files.mkdir(`${directory}/empty`);
      exited(await context.sandbox.exec(`cd ${directory} && ln -s kept link && mkdir tree && ln -s ../kept tree/link`));
      for (const name of ['kept', 'empty']) await rejects(files.remove(`${directory}/${name}`), 'file-is-directory', `removing ${name}`);
      await files.remove(`${directory}/empty`, { recursive: true });
      await files.remove(`${directory}/link`);
      await files.remove(`${directory}/tree`, { recursive: true });
      equal(
        (await files.list(directory)).map((info) => info.name),
        ['kept'],
        'what is left',
      );
      equal(await files.readText(`${directory}/kept/file`), 'kept', 'what the links pointed at');
    },
  },
  {
    id: 'F1.move',
    title: 'move renames files and trees, replaces a file, and never moves into a directory by accident',
    async run(context) {
      const { files } = context.sandbox;
      const directory = await context.directory();
      await files.write(`${directory}/a`, 'a');
      await files.write(`${directory}/b`, 'b');
      await files.move(`${directory}/a`, `${directory}/b`);
      equal(await files.readText(`${directory}/b`), 'a', 'the replaced file');
      await files.move(`${directory}/b`, `${directory}/new/parent/c`);
      equal(await files.readText(`${directory}/new/parent/c`), 'a', 'the file below new parents');
      await files.move(`${directory}/new`, `${directory}/renamed`);
      equal(await files.readText(`${directory}/renamed/parent/c`), 'a', 'the file in the renamed tree');
      await files.write(`${directory}/d`, 'd');
      await rejects(files.move(`${directory}/d`, `${directory}/renamed`), 'file-exists', 'moving a file onto a directory');
      await rejects(files.move(`${directory}/renamed`, `${directory}/d`), 'file-exists', 'moving a directory onto a file');
      equal(
        (await files.list(directory)).map((info) => info.name),
        ['d', 'renamed'],
        'the names afterwards',
      );
      equal(
        (await files.list(`${directory}/renamed`)).map((info) => info.name),
        ['parent'],
        'the names in the directory',
      );
    },
  },
]);
