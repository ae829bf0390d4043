/**
 * The commands of every day in one module: most of their code is shared, and each further file costs about as long to load as all of
 * them take to read.
 */
export { default as approvals } from './approvals.js';
export { default as audit } from './audit.js';
export { default as check } from './check.js';
export { default as jobs } from './jobs.js';
export { default as ls } from './ls.js';
export { default as rm } from './rm.js';
export { default as run } from './run.js';
export { default as shell } from './shell.js';
export { default as where } from './where.js';
