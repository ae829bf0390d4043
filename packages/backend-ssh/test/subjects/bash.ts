import { sshd } from '../servers.js';
import { loginTo, subjectOf } from '../subject.js';

/** OpenSSH and a user whose login shell is bash. */
export const login = loginTo(sshd.servers.main, sshd.users.bash);
export const subject = subjectOf(import.meta.url, login);
