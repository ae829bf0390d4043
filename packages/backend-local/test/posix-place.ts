import { type Backend, type Driver, defineBackend } from '@petasos/core';

/**
 * In a mount namespace of its own, busybox stands where the shell is, no bash can be run, and nothing but busybox's applets is found:
 * the userland of a small container image, with this machine's files.
 */
const enter = `
sh=$(readlink -f /bin/sh) busybox=$1 applets=$2
shift 2
for bash in /bin/bash /usr/bin/bash /usr/local/bin/bash; do
  [ "$(readlink -f "$bash")" = "$sh" ] || [ ! -e "$bash" ] || mount --bind /dev/null "$bash"
done
mount --bind "$busybox" "$sh"
PATH=$applets
export PATH
exec "$@"`;

/** The same place, as it would be if this machine had nothing but busybox; `applets` is a directory of links to it. */
export function posixPlace<Options>(backend: Backend<Options>, busybox: string, applets: string): Backend<Options> {
  const unshare = process.getuid?.() === 0 ? ['-m'] : ['-Urm'];
  const inside = (driver: Driver): Driver => ({
    ...driver,
    spawn: (request) =>
      driver.spawn({ ...request, argv: ['unshare', ...unshare, '/bin/sh', '-c', enter, 'posix', busybox, applets, ...request.argv] }),
  });
  return defineBackend<Options>({
    ...backend,
    create: async (options, spec) => inside(await backend.create(options, spec)),
    attach: async (options, ref, context) => inside(await backend.attach(options, ref, context)),
  });
}
