export { judge } from './judge.js';
export * from './verdict.js';
