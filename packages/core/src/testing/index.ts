export { weakBackend } from './weak-backend.js';
