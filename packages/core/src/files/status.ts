import type { PetasosErrorCode } from '../contract/index.js';

export interface StatusMeaning {
  readonly code: PetasosErrorCode;
  /** Follows the quoted path. */
  readonly what: string;
  readonly remedy: string;
}

/** What the scripts' own exit statuses mean. The scripts decide by their own tests, so no text is ever interpreted. */
const meanings: Readonly<Record<number, StatusMeaning>> = {
  81: { code: 'file-not-found', what: 'does not exist', remedy: 'Check the path; files.list shows what is there.' },
  82: { code: 'file-is-directory', what: 'is a directory', remedy: 'Name a file, or use list, upload, download or a recursive remove.' },
  83: { code: 'file-not-directory', what: 'is not a directory, or a part of it is not', remedy: 'Check each part of the path.' },
  84: {
    code: 'file-permission',
    what: 'is not accessible to the user of this place',
    remedy: 'Change its mode or owner, or choose another path.',
  },
  85: { code: 'no-space', what: 'could not be written: no space, no inode or no quota is left there', remedy: 'Make room in the place.' },
  86: { code: 'file-exists', what: 'exists already', remedy: 'Remove it first, or choose another path.' },
  87: {
    code: 'invalid-request',
    what: 'cannot be used: the name is too long, leads in a circle or lies inside itself',
    remedy: 'Choose another path.',
  },
  88: { code: 'invalid-request', what: 'is not a regular file', remedy: 'Write to devices and pipes with a command.' },
  89: { code: 'place-failed', what: 'failed in the place', remedy: 'Look at data.detail for what the place said.' },
  90: { code: 'place-failed', what: 'was interrupted in the place', remedy: 'Try again.' },
  91: { code: 'place-failed', what: 'did not arrive whole; nothing was changed', remedy: 'Try again.' },
  92: {
    code: 'unsupported',
    what: 'cannot be transferred as a tree: the place has no tar',
    remedy: 'Install tar in the place, or move files one by one with read and write.',
  },
};

export function meaningOf(status: number): StatusMeaning | undefined {
  return meanings[status];
}
