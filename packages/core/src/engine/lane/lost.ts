import { type Driver, type DriverProcess, isPetasosError } from '../../contract/index.js';

/** A lane ended without a report: the place is gone, or the connection is. */
export async function explainEnd(process: DriverProcess, driver: Driver): Promise<'disconnected' | 'destroyed'> {
  const exit: unknown = await process.exited.catch((error: unknown) => error);
  if (isPetasosError(exit, 'destroyed')) return 'destroyed';
  if (isPetasosError(exit, 'disconnected')) return 'disconnected';
  const state = await driver.state?.().catch(() => undefined);
  return state === 'gone' || state === 'stopped' ? 'destroyed' : 'disconnected';
}
