import { sshd } from '../servers.js';
import { loginTo, subjectOf } from '../subject.js';

/** A user whose login shell may neither name a program by its path nor redirect. */
export const login = loginTo(sshd.servers.main, sshd.users.restricted);
export const subject = subjectOf(import.meta.url, login);
