import { command } from './command.js';

export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly home: string;
  readonly shell: string;
}

/** Makes the user anew: what an earlier one left in its home, or left running, does not count. Root only. */
export async function makeSystemUser({ name, home, shell }: Omit<SystemUser, 'uid'>): Promise<SystemUser> {
  await removeSystemUser(name);
  // A password of '*' matches none; a locked account ('!') would be refused even with a key where there is no PAM.
  await command('useradd', ['--create-home', '--home-dir', home, '--shell', shell, '--password', '*', name]);
  return { name, uid: Number(await command('id', ['-u', name])), home, shell };
}

/** Removes the user, and ends what still runs as it. */
export async function removeSystemUser(name: string): Promise<void> {
  const known = await command('id', ['-u', name]).catch(() => undefined);
  if (known === undefined) return;
  // pkill's status says whether there was anything to end; both are fine.
  await command('pkill', ['-KILL', '-u', known.trim()]).catch(() => {});
  await command('userdel', ['--force', name]);
}
