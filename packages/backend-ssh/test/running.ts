import type { Sandbox } from '@petasos/core';

/** A command that runs, once its first output has come. */
export async function running(sandbox: Sandbox, command: string) {
  let started: () => void = () => {};
  const output = new Promise<void>((resolve) => {
    started = resolve;
  });
  const result = sandbox.exec(command, { onStdout: () => started() });
  result.catch(() => {});
  await output;
  return { result };
}
