import type { Progress } from '@petasos/core/backend';
import { failure } from './errors.js';
import { runScript } from './machine/machine.js';
import { fetchImage } from './scripts/image.js';
import { lastLine, type Site } from './site.js';

export interface ImageContext {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: Progress) => void) | undefined;
}

/** What a fetched image needs at the least, while it is built and afterwards. */
const minimumFreeMiB = 512;

/** Path of an image that is a file or a directory; undefined for one that is fetched. */
export function localImage(image: string, home: string): string | undefined {
  if (image.startsWith('/')) return image;
  return image.startsWith('~/') ? `${home}/${image.slice(2)}` : undefined;
}

/**
 * Path of the image on the machine. One that is named by an address is built once, into the container program's own cache directory.
 * @throws `invalid-options`, `no-space`, `place-failed`, `aborted`.
 */
export async function obtainImage(site: Site, image: string, context: ImageContext = {}): Promise<string> {
  const local = localImage(image, site.home);
  if (local !== undefined) return local;
  if (!/^[a-z][a-z0-9+-]*:/.test(image)) {
    throw failure('invalid-options', `${JSON.stringify(image)} is neither an absolute path nor an address`, {
      operation: 'open',
      remedy: 'Give the absolute path of a SIF file or directory, or an address such as docker://debian:12.',
    });
  }
  const { exitCode, stdout, stderr } = await runScript(site.machine, fetchImage, [site.program, image, String(minimumFreeMiB * 1024)], {
    signal: context.signal,
    onLine: (line) => context.onProgress?.({ step: 'image', detail: withoutLevel(line) }),
  });
  if (context.signal?.aborted) throw failure('aborted', `getting the image ${image} was aborted`, { operation: 'prepare' });
  if (exitCode === 0) return stdout.trim();
  if (exitCode === 5) {
    throw failure('no-space', `less than ${minimumFreeMiB} MiB are free in ${stdout.trim()}, where the image is built or kept`, {
      operation: 'prepare',
      remedy: 'Free space, or set APPTAINER_CACHEDIR and APPTAINER_TMPDIR to a file system with room.',
    });
  }
  if (exitCode === 4) {
    throw failure('place-failed', `the cache directory ${stdout.trim()} is not writable`, {
      operation: 'prepare',
      remedy: 'Set APPTAINER_CACHEDIR to a directory of yours.',
    });
  }
  throw failure('place-failed', `the image ${image} cannot be had: ${reasonIn(stderr)}`, {
    operation: 'prepare',
    remedy: 'Check the address, the network and the registry credentials (APPTAINER_DOCKER_USERNAME, APPTAINER_DOCKER_PASSWORD).',
  });
}

/** What the container program said went wrong: its lines start with their level. */
export function reasonIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^\S*(?:FATAL|ERROR)/.test(line));
  return withoutLevel(lines.at(0) ?? lastLine(stderr)) || 'no reason was given';
}

function withoutLevel(line: string): string {
  // The level may be coloured.
  return line.replace(/^(?:\u001b\[[\d;]*m)*(?:FATAL|ERROR|WARNING|INFO|VERBOSE):?(?:\u001b\[[\d;]*m)*\s*/, '');
}
