import local from '@petasos/backend-local';
import { open, type Sandbox } from '@petasos/core';

/** Gives `action` a fresh sandbox on this machine and removes it. */
export async function withLocal<T>(action: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const sandbox = await open(local);
  try {
    return await action(sandbox);
  } finally {
    await sandbox.destroy();
  }
}

/** A result that is not the expected one makes every figure worthless. */
export async function mustSucceed(sandbox: Pick<Sandbox, 'exec'>, command: string): Promise<void> {
  const { ended, exitCode, stderr } = await sandbox.exec(command);
  if (ended !== 'exited' || exitCode !== 0) throw new Error(`${command}: ${ended} ${exitCode} ${stderr}`);
}
