import { sshd } from '../servers.js';
import { loginTo, subjectOf } from '../subject.js';

/** A server without the SFTP subsystem. */
export const login = loginTo(sshd.servers.noSftp, sshd.users.bash);
export const subject = subjectOf(import.meta.url, login);
