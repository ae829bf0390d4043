import { type Driver, type DriverProcess, isPetasosError, PetasosError } from '../../contract/index.js';

/** A lane ended without a report: the place is gone, or the connection is. */
export async function explainEnd(process: DriverProcess, driver: Driver): Promise<'disconnected' | 'destroyed'> {
  const exit: unknown = await process.exited.catch((error: unknown) => error);
  if (isPetasosError(exit, 'destroyed')) return 'destroyed';
  if (isPetasosError(exit, 'disconnected')) return 'disconnected';
  const state = await driver.state?.().catch(() => undefined);
  return state === 'gone' || state === 'stopped' ? 'destroyed' : 'disconnected';
}

/** A lane ended before it said a word. */
export function noShell({ ref: { backend, name } }: Driver): PetasosError {
  return new PetasosError('place-failed', `no shell answers in the sandbox ${name} of ${backend}`, {
    backend,
    operation: 'open',
    remedy: 'The place needs a POSIX shell at /bin/sh; check the image or the login shell.',
  });
}
