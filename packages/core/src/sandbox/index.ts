export { admitAll } from './gate.js';
export { findSandbox, open, validateOptions } from './open.js';
export * from './types.js';
