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
