import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPetasosError } from '../../../src/contract/index.js';
import type { Sandbox } from '../../../src/sandbox/types.js';
import { type Animal, quote } from '../animal.js';
import { breakFiles } from '../parts.js';

/** Does something to the tree on the target after each upload. */
const afterUpload = (command: string) =>
  breakFiles((files, sandbox) => ({
    upload: async (local, remote, options) => {
      const result = await files.upload(local, remote, options);
      await sandbox.exec(command, { cwd: remote });
      return result;
    },
  }));

/** Does something to the local tree after each download. */
const afterDownload = (change: (sandbox: Sandbox, remote: string, local: string) => Promise<void>) =>
  breakFiles((files, sandbox) => ({
    download: async (remote, local, options) => {
      const result = await files.download(remote, local, options);
      await change(sandbox, remote, local);
      return result;
    },
  }));

/** Copies a tree as a careless unpacker would: whatever is already there is followed. */
async function copyCarelessly(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyCarelessly(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else await writeFile(target, await readFile(source));
  }
}

export const transferAnimals: readonly Animal[] = [
  { name: 'loses the modes of a tree', caughtBy: 'F2.tree', breakIt: afterUpload('find . -type f -exec chmod 644 {} +') },
  { name: 'loses the times of a tree', caughtBy: 'F2.tree', breakIt: afterUpload('find . -type f -exec touch {} +') },
  { name: 'leaves symlinks out', caughtBy: 'F2.tree', breakIt: afterUpload('find . -type l -exec rm {} +') },
  {
    name: 'copies what a symlink points at',
    caughtBy: 'F2.tree',
    breakIt: afterUpload(
      'for l in $(find . -type l -name "[a-z]*"); do [ ! -f "$l" ] || { cat "$l" >tmp; mv tmp "$l"; }; done; cat "link to file" >tmp; mv tmp "link to file"',
    ),
  },
  { name: 'leaves empty directories out', caughtBy: 'F2.tree', breakIt: afterUpload('find . -depth -type d -exec rmdir {} + 2>/dev/null') },
  {
    name: 'cuts long names',
    caughtBy: 'F2.names',
    breakIt: afterUpload('for f in *; do [ ${#f} -le 100 ] || mv -- "$f" "$(printf %.100s "$f")"; done'),
  },
  {
    name: 'empties the destination of an upload',
    caughtBy: 'F2.into-existing',
    breakIt: breakFiles((files, sandbox) => ({
      upload: async (local, remote, options) => {
        await sandbox.exec(`rm -rf ${quote(remote)}`);
        return files.upload(local, remote, options);
      },
    })),
  },
  {
    name: 'takes a missing directory for an empty tree',
    caughtBy: 'F2.missing',
    breakIt: breakFiles((files) => ({
      upload: (local, remote, options) =>
        files.upload(local, remote, options).catch(() => ({ files: 0, directories: 0, symlinks: 0, bytes: 0, skipped: [] })),
    })),
  },
  {
    name: 'takes a hard link for an empty file',
    caughtBy: 'F2.hard-link',
    breakIt: afterDownload(async (sandbox, remote, local) => {
      const { stdout } = await sandbox.exec('find . -type f -links +1 | sort | tail -n +2', { cwd: remote });
      for (const path of stdout.split('\n')) if (path !== '') await truncate(join(local, path));
    }),
  },
  {
    name: 'follows a hostile archive',
    caughtBy: 'F2.outside-link',
    breakIt: breakFiles((files) => ({
      download: (remote, local, options) => files.download(remote, local, { ...options, outsideLinks: 'keep' }),
    })),
  },
  {
    name: 'unpacks half of a hostile archive before it refuses',
    caughtBy: 'F2.outside-link',
    breakIt: breakFiles((files) => ({
      download: async (remote, local, options) => {
        try {
          return await files.download(remote, local, options);
        } catch (error) {
          if (isPetasosError(error, 'hostile-archive')) await writeFile(join(local, 'a-first'), 'harmless');
          throw error;
        }
      },
    })),
  },
  {
    name: 'writes through a symlink of the destination',
    caughtBy: 'F2.through-link',
    breakIt: breakFiles((files) => ({
      download: async (remote, local, options) => {
        const fresh = await mkdtemp(`${local}-`);
        try {
          const result = await files.download(remote, fresh, options);
          await copyCarelessly(fresh, local);
          return result;
        } finally {
          await rm(fresh, { recursive: true, force: true });
        }
      },
    })),
  },
  {
    name: 'uploads a socket without a word',
    caughtBy: 'F2.special-files',
    breakIt: breakFiles((files) => ({
      upload: async (local, remote, options) => ({ ...(await files.upload(local, remote, options)), skipped: [] }),
    })),
  },
  {
    name: 'keeps set-user-id bits',
    caughtBy: 'F2.set-user-id',
    breakIt: afterDownload(async (sandbox, remote, local) => {
      const { stdout } = await sandbox.exec('find . -type f -perm -4000', { cwd: remote });
      for (const path of stdout.split('\n')) if (path !== '') await chmod(join(local, path), 0o4755);
    }),
  },
  {
    name: 'takes an ignore pattern for a plain name',
    caughtBy: 'F2.ignore',
    breakIt: breakFiles((files) => ({
      upload: (local, remote, options) =>
        files.upload(local, remote, { ...options, ignore: options?.ignore?.filter((pattern) => /^[\w/]+$/.test(pattern)) }),
    })),
  },
  {
    name: 'tells no progress',
    caughtBy: 'F2.progress',
    breakIt: breakFiles((files) => ({
      upload: (local, remote, { onProgress: _, ...options } = {}) => files.upload(local, remote, options),
    })),
  },
  {
    name: 'cannot be interrupted in a transfer',
    caughtBy: 'F2.abort',
    breakIt: breakFiles((files) => ({
      download: (remote, local, { signal: _, ...options } = {}) => files.download(remote, local, options),
    })),
  },
];
