export * from './approval/index.js';
export * from './contract/index.js';
export { endProcessesArguments } from './engine/scripts/index.js';
export * from './sandbox/index.js';
