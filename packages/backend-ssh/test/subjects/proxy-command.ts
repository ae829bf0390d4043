import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { relayThrough, sshd } from '../servers.js';
import { loginTo, subjectOf } from '../subject.js';

// Beside the key: the suite counts what processes leave in the temporary directory. Clients write it as well, each the same.
const configFile = path.join(path.dirname(sshd.keys.plain), 'proxy-command');
writeFileSync(`${configFile}.${process.pid}`, `ProxyCommand ${relayThrough(sshd.servers.jump, sshd.users.bash)}\n`);
renameSync(`${configFile}.${process.pid}`, configFile);

/** A server that only OpenSSH's own client reaches, by way of another one. */
export const login = { ...loginTo(sshd.servers.main, sshd.users.bash), others: { configFile } };
export const subject = subjectOf(import.meta.url, login);
