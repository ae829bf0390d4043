import type { Sandbox } from '@petasos/core';

/** A result that is not the expected one makes every figure worthless. */
export async function mustSucceed(sandbox: Pick<Sandbox, 'exec'>, command: string): Promise<void> {
  const { ended, exitCode, stderr } = await sandbox.exec(command);
  if (ended !== 'exited' || exitCode !== 0) throw new Error(`${command}: ${ended} ${exitCode} ${stderr}`);
}
