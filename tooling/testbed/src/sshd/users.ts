import { writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../command.js';
import { userPrefix } from '../paths.js';
import { makeSystemUser, removeSystemUser, type SystemUser } from '../system-user.js';

/** Somebody who can log in. */
export type SshUser = SystemUser;

/** What makes each user different from the next. */
const kinds = {
  bash: { shell: 'bash', profile: undefined },
  dash: { shell: 'dash', profile: undefined },
  /** Whatever `/bin/sh` is, by that path. */
  sh: { shell: '/bin/sh', profile: undefined },
  fish: { shell: 'fish', profile: undefined },
  /** May not change directory, set PATH or name a program by its path. */
  restricted: { shell: 'rbash', profile: undefined },
  /** Reads a start-up file that takes its time and talks, also where nobody asked. */
  slow: { shell: 'bash', profile: 'sleep 1\necho "Welcome to this machine"\necho "Maintenance on Sunday" >&2\n' },
} as const;

export type UserKind = keyof typeof kinds;

/** Only root can make users; anybody else logs in as themselves, under `bash` whatever their shell is. */
export type SshUsers = Partial<Record<UserKind, SshUser>> & { readonly bash: SshUser };

export async function makeUsers(directory: string): Promise<SshUsers> {
  if (process.getuid?.() !== 0) {
    const { username, uid, homedir, shell } = userInfo();
    return { bash: { name: username, uid, home: homedir, shell: shell ?? '/bin/sh' } };
  }
  const bash = await makeUser(directory, 'bash');
  const users: Partial<Record<UserKind, SshUser>> & { bash: SshUser } = { bash };
  for (const kind of Object.keys(kinds) as UserKind[]) {
    if (kind !== 'bash') users[kind] = await makeUser(directory, kind);
  }
  return users;
}

async function makeUser(directory: string, kind: UserKind): Promise<SshUser> {
  const { shell: shellName, profile } = kinds[kind];
  const home = join(directory, 'home', kind);
  const shell = findProgram(shellName);
  if (shell === undefined) throw new Error(`${shellName} is not installed`);
  const user = await makeSystemUser({ name: nameOf(kind), home, shell });
  if (profile !== undefined) await writeFile(join(home, '.bashrc'), profile);
  return user;
}

const nameOf = (kind: string) => `${userPrefix}${kind}`;

/** Removes every user that this checkout's servers let in, and ends what still runs as them. */
export async function removeUsers(): Promise<void> {
  if (process.getuid?.() !== 0) return;
  for (const kind of Object.keys(kinds)) await removeSystemUser(nameOf(kind));
}
