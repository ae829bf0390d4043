export * from './approval/index.js';
export * from './backend.js';
export * from './sandbox/index.js';
