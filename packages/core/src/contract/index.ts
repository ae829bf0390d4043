export * from './backend.js';
export * from './capabilities.js';
export * from './driver.js';
export * from './errors.js';
export * from './gate.js';
export * from './option-fields.js';
export * from './placement.js';
export * from './process.js';
