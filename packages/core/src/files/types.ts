import type { Readable } from 'node:stream';
import type { Progress } from '../contract/index.js';

export type FileKind = 'file' | 'directory' | 'symlink' | 'other';

export interface FileInfo {
  /** Last part of the path. Bytes that are not UTF-8 show as U+FFFD; such a name cannot be addressed by a string. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly kind: FileKind;
  /** Bytes; 0 for anything that has no size of its own, such as a device. */
  readonly size: number;
  /** Permission bits, such as 0o644. */
  readonly mode: number;
  /** In whole seconds. */
  readonly modifiedAt: Date;
  /** Target of a symlink, exactly as it is written. */
  readonly target?: string | undefined;
}

/** Bytes of a file. `offset` default 0; without `length`, to the end. A range past the end is shorter or empty. */
export interface FileRange {
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
}

export interface TransferOptions {
  /** Patterns in gitignore syntax, relative to the tree's root. */
  readonly ignore?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called at most ten times a second and once at the end: each time with the bytes, then with the items moved so far. */
  readonly onProgress?: ((event: Progress) => void) | undefined;
  /**
   * What a download does with a symlink that leads out of the tree. Default `refuse`: the place may be compromised, and
   * such a link would lend it the caller's own files. An upload keeps every link as it is.
   */
  readonly outsideLinks?: 'refuse' | 'keep' | undefined;
}

export interface TransferResult {
  readonly files: number;
  /** The tree's root is not counted. */
  readonly directories: number;
  readonly symlinks: number;
  /** Content, without names and headers. */
  readonly bytes: number;
  /** Sockets, pipes and devices of the local tree, relative to its root: an upload leaves them out. */
  readonly skipped: readonly string[];
}

/**
 * Files of the sandbox. Paths are absolute, `~`, `~/…`, or relative to the workdir; any name but NUL. Bytes, not text.
 *
 * Every method throws `invalid-request` for a path that no file can have, `file-not-found`, `file-permission` and
 * `file-not-directory` (a part of the path is not a directory) where they apply, and `disconnected` or `destroyed` when
 * the place is gone. What else each throws is said with it.
 */
export interface Files {
  /** @throws `file-is-directory` */
  read(path: string, range?: FileRange): Promise<Uint8Array>;
  /** Decoded as UTF-8. @throws `file-is-directory` */
  readText(path: string): Promise<string>;
  /** Streams a file of any size with bounded memory. A stream that ends without an error has delivered everything. */
  readStream(path: string, range?: FileRange): Promise<Readable>;
  /**
   * Atomic: a reader sees the old content or the new, and an interrupted write leaves the old. Parents are made, a
   * symlink is written through. `mode` default: the old file's, else 0o644. A hard link to the old file keeps the old
   * content. @throws `file-is-directory`, `no-space`
   */
  write(path: string, content: string | Uint8Array | Readable, options?: { readonly mode?: number | undefined }): Promise<void>;
  /** Sorted by name. Symlinks are not followed. */
  list(path: string): Promise<readonly FileInfo[]>;
  /** Describes the path itself; a symlink is not followed. */
  stat(path: string): Promise<FileInfo>;
  /** Parents are made. A directory that exists is left as it is. @throws `file-exists` for anything else there, `no-space` */
  mkdir(path: string, options?: { readonly mode?: number | undefined }): Promise<void>;
  /** A directory only with `recursive`. @throws `file-is-directory` without it */
  remove(path: string, options?: { readonly recursive?: boolean | undefined }): Promise<void>;
  /**
   * Renames; parents of `to` are made. A file takes the place of a file. @throws `file-exists` when `to` is a directory,
   * or when a directory would take the place of a file
   */
  move(from: string, to: string): Promise<void>;
  /**
   * Copies a local directory's content to `remote` as one stream, with modes, times and symlinks. `remote` and its
   * parents are made; directories that exist keep their mode. @throws `no-space`, `unsupported` (no tar in the place),
   * `aborted`
   */
  upload(local: string, remote: string, options?: TransferOptions): Promise<TransferResult>;
  /**
   * Copies `remote`'s content to a local directory. The local tree changes only after everything has arrived and was
   * found harmless; set-user-id bits are dropped. @throws `hostile-archive` (with the entry's name), `no-space`,
   * `unsupported`, `aborted`
   */
  download(remote: string, local: string, options?: TransferOptions): Promise<TransferResult>;
}
