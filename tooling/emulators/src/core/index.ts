/** What a protocol layer builds on. */
export { Box, type BoxSpec } from './box.js';
export { ByteLog } from './byte-log.js';
export { type Cancel, Clock } from './clock.js';
export {
  type AccountState,
  type EmulatedService,
  type Emulator,
  type EmulatorContext,
  type EmulatorLayer,
  startEmulator,
} from './emulator.js';
export { type Fault, type FaultRule, Faults } from './faults.js';
export { Exchange, type HttpOptions, HttpProblem, serveHttp } from './http.js';
export { namespacesAvailable } from './namespace.js';
export { BoxProcess, type ProcessEnd, type ProcessRequest } from './process.js';
export { RateLimit } from './quota.js';
export { type LoggedRequest, RequestLog } from './requests.js';
export { type Handler, type Parameters, Router } from './router.js';
export { type Snapshot, Store } from './store.js';
export { StreamSpoiler } from './stream-faults.js';
export { type Bind, FileTree } from './tree.js';
