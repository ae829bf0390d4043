export { default } from '../../vitest.backend.js';
