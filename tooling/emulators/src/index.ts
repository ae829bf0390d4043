/** What tests of other packages use; a protocol layer builds on `core/index.ts`. */
export { type AccountState, type Emulator, type EmulatorLayer, startEmulator } from './core/emulator.js';
export type { Fault, FaultRule } from './core/faults.js';
export { namespacesAvailable } from './core/namespace.js';
export { type RemoteEmulator, spawnEmulator, useEmulator } from './core/remote.js';
export type { LoggedRequest } from './core/requests.js';
