/** The way to another machine over SSH, for this backend and for others that need a machine on their way. */
export { connectionsTo, type ScriptResult, type SshConnections } from './connections.js';
export type { DialContext } from './dial.js';
export { type ConnectionOptions, describeTarget, type HostKeyPolicy, type SshTarget } from './target.js';
