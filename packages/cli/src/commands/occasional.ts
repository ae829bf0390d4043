/** The commands for which nobody minds a few milliseconds: those of every day load none of this. */
export { default as backends } from './backends.js';
export { default as bench } from './bench.js';
export { default as choose } from './choose.js';
export { default as completion } from './completion.js';
export { default as config } from './config/index.js';
export { default as conformance } from './conformance.js';
export { default as cp } from './cp.js';
export { default as doctor } from './doctor.js';
export { default as plugin } from './plugin.js';
export { default as prune } from './prune.js';
export { default as restore } from './restore.js';
export { default as resume } from './resume.js';
export { default as setup } from './setup.js';
export { default as snapshot } from './snapshot.js';
export { default as stop } from './stop.js';
export { default as trust } from './trust.js';
