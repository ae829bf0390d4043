export { createFiles } from './create.js';
export type { FilesPlace, Held, ScriptRunner } from './place.js';
export type { FileInfo, FileKind, FileRange, Files, TransferOptions, TransferResult } from './types.js';
