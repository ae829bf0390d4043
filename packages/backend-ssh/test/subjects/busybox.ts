import { sshd } from '../servers.js';
import { loginTo, subjectOf } from '../subject.js';

/** A machine with nothing but busybox. */
export const login = loginTo(sshd.servers.busybox, sshd.users.sh);
export const subject = subjectOf(import.meta.url, login);
