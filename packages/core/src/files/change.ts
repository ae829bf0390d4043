import type { Subject } from './errors.js';
import { fileError } from './errors.js';
import { octal } from './mode.js';
import { absolutePath } from './paths.js';
import { type FilesPlace, temporaryName } from './place.js';
import { runScript } from './script.js';
import { scripts } from './scripts/index.js';

export async function makeDirectory(place: FilesPlace, subject: Subject, mode: number | undefined): Promise<void> {
  const wanted = octal(subject, mode);
  await change(place, subject, 'make', [await absolutePath(place, subject), wanted]);
}

export async function removeFile(place: FilesPlace, subject: Subject, recursive: boolean): Promise<void> {
  const path = await absolutePath(place, subject);
  if (/(^|\/)\.{0,2}$/.test(path)) {
    throw fileError('invalid-request', subject, 'names no entry of a directory', 'Name what to remove without a dot at the end; / stays.');
  }
  await change(place, subject, 'discard', [path, recursive ? 'recursive' : '']);
}

export async function moveFile(place: FilesPlace, subject: Subject, to: string): Promise<void> {
  const target = { ...subject, path: to };
  const paths = [await absolutePath(place, subject), await absolutePath(place, target)];
  await change(place, subject, 'rename', paths);
}

async function change(place: FilesPlace, subject: Subject, what: string, args: readonly string[]): Promise<void> {
  await runScript(place, subject, { text: scripts.change, args: [what, temporaryName(), ...args] });
}
