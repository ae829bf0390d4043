export { admitAll } from './gate.js';
export { open, validateOptions } from './open.js';
export * from './types.js';
