import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { need } from '@petasos/testbed';

const { program, user } = await need('apptainer');

/** The container program as a site wraps it that allows no instances. */
export async function programWithoutInstances(): Promise<string> {
  const file = join(user.home, 'no-instances');
  const draft = `${file}.${process.pid}`;
  const refuse = 'echo "FATAL: instances are not allowed at this site" >&2; exit 255';
  await writeFile(draft, `#!/bin/sh\n[ "$1" != instance ] || { ${refuse}; }\nexec '${program}' "$@"\n`);
  await chmod(draft, 0o755);
  await rename(draft, file);
  return file;
}
