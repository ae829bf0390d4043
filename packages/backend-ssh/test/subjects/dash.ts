import { sshd } from '../servers.js';
import { loginTo, subjectOf } from '../subject.js';

/** OpenSSH and a user whose login shell is dash. */
export const login = loginTo(sshd.servers.main, sshd.users.dash);
export const subject = subjectOf(import.meta.url, login);
