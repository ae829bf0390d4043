import { makeDirectory, moveFile, removeFile } from './change.js';
import { describeFile, listDirectory } from './describe.js';
import type { Subject } from './errors.js';
import type { FilesPlace } from './place.js';
import { openFile, readFile } from './read.js';
import type { Files } from './types.js';
import { writeFile } from './write.js';

/**
 * The files of one place, on nothing but a runner of POSIX `sh` scripts, or on the driver's native powers where it has
 * them. An operation of the library, not a command text: the approval gate does not see it.
 */
export function createFiles(place: FilesPlace): Files {
  const on = async (operation: string, path: string): Promise<Subject> => {
    await place.wake?.();
    return { backend: place.backend, operation: `files.${operation}`, path };
  };
  return {
    read: async (path, range) => readFile(place, await on('read', path), range),
    readText: async (path) => (await readFile(place, await on('readText', path))).toString('utf8'),
    readStream: async (path, range) => openFile(place, await on('readStream', path), range),
    write: async (path, content, options) => writeFile(place, await on('write', path), content, options?.mode),
    list: async (path) => listDirectory(place, await on('list', path)),
    stat: async (path) => describeFile(place, await on('stat', path)),
    mkdir: async (path, options) => makeDirectory(place, await on('mkdir', path), options?.mode),
    remove: async (path, options) => removeFile(place, await on('remove', path), options?.recursive === true),
    move: async (from, to) => moveFile(place, await on('move', from), to),
    // Loaded when needed: most programs move no trees, and the archive code is the slowest part of core to load.
    async upload(local, remote, options) {
      const { upload } = await import('./transfer/upload.js');
      return upload(place, await on('upload', remote), local, options ?? {});
    },
    async download(remote, local, options) {
      const { download } = await import('./transfer/download.js');
      return download(place, await on('download', remote), local, options ?? {});
    },
  };
}
