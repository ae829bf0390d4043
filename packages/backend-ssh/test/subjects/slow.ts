import { sshd } from '../servers.js';
import { loginTo, subjectOf } from '../subject.js';

/** A user whose .bashrc takes a second and talks on both streams. */
export const login = loginTo(sshd.servers.main, sshd.users.slow);
export const subject = subjectOf(import.meta.url, login);
