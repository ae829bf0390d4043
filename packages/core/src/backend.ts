/**
 * What a backend's author needs, and no more: it loads in a millisecond, where all of core has the judge and its tables to load.
 */
export * from './backend/index.js';
export * from './contract/index.js';
export { execLine } from './engine/command-line.js';
export { looksSecret } from './engine/forwarding.js';
export { sandboxOwner } from './engine/owner.js';
export { endProcessesArguments } from './engine/scripts/index.js';
