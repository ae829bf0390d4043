import { sshd } from '../servers.js';
import { loginTo, subjectOf } from '../subject.js';

/** OpenSSH and a user whose login shell is fish, which is no POSIX shell. */
export const login = loginTo(sshd.servers.main, sshd.users.fish);
export const subject = subjectOf(import.meta.url, login);
