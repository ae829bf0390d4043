export * from './contract/index.js';
export * from './sandbox/index.js';
