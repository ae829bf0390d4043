import { sshd } from '../servers.js';
import { loginTo, subjectOf } from '../subject.js';

/** A server that takes one session on a connection. */
export const login = loginTo(sshd.servers.oneSession, sshd.users.bash);
export const subject = subjectOf(import.meta.url, login);
