import { failure } from './errors.js';
import type { SingularityOptions } from './options.js';
import type { Site } from './site.js';
import { type Facts, survey } from './survey.js';

type OverlayOptions = Pick<SingularityOptions, 'overlayMiB' | 'containall' | 'home'>;

/** Whether all that commands can write is in an overlay of a size: the home directory inside and the temporary ones included. */
export function boundsAll({ overlayMiB, containall, home }: OverlayOptions): boolean {
  return overlayMiB > 0 && containall && !home;
}

/** How the container program is to fill a new overlay. The directories must be there: who may make them in an image is the image's choice. */
export function fillArguments(options: OverlayOptions, home: string): readonly string[] {
  const inside = options.containall ? ['/tmp', '/var/tmp', ...(options.home ? [] : [home])] : [];
  return inside.flatMap((directory) => ['--create-dir', directory]);
}

export const overlayRemedy =
  'Install e2fsprogs (mkfs.ext3, e2fsck) and fuse2fs, and give the user /dev/fuse; or set overlayMiB to 0 for a directory without a bound.';

/** What keeps this user from an overlay of a size; undefined where nothing does. */
export function missingForOverlay(facts: Facts): string | undefined {
  const absent = ['mkfs.ext3', 'e2fsck', ...(facts.has('setuid') ? [] : ['fuse2fs'])].filter((name) => !facts.has(name));
  if (absent.length > 0) return `${absent.join(' and ')} ${absent.length === 1 ? 'is' : 'are'} not installed`;
  return facts.has('setuid') || facts.has('fuse') ? undefined : '/dev/fuse may not be opened by this user';
}

/** @throws `unavailable` where no overlay of a size can be made. */
export async function requireOverlay(site: Site, { overlayMiB }: OverlayOptions): Promise<void> {
  const missing = overlayMiB > 0 ? missingForOverlay(await survey(site)) : undefined;
  if (missing === undefined) return;
  throw failure('unavailable', `no overlay of ${overlayMiB} MiB can be made on ${site.machine.title}: ${missing}`, {
    operation: 'open',
    remedy: overlayRemedy,
  });
}
