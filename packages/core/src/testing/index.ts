export { behindFaultyLine, type FaultyLine } from './faulty-line.js';
export { weakBackend } from './weak-backend.js';
