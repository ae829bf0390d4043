import singularity from '@petasos/backend-singularity';
import { admitAll, open, type Sandbox } from '@petasos/core';
import { type ApptainerInfo, need } from '@petasos/testbed';

/** Gives `action` a fresh sandbox from an image file, as an ordinary user, and removes it. */
export async function withContainer<T>(action: (sandbox: Sandbox, apptainer: ApptainerInfo) => Promise<T>): Promise<T> {
  const apptainer = await need('apptainer');
  const { program, asUser, images } = apptainer;
  const sandbox = await open(singularity, { options: { image: images.sif, program, launcher: asUser }, gate: admitAll() });
  try {
    return await action(sandbox, apptainer);
  } finally {
    await sandbox.destroy();
  }
}

/** Program and arguments of a command line of that user's. */
export function asThatUser({ asUser, program }: ApptainerInfo, args: readonly string[]): readonly [string, readonly string[]] {
  const [head = program, ...rest] = [...asUser, program];
  return [head, [...rest, ...args]];
}
