import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command } from '../command.js';
import { type ProcessRecord, startDaemon, untilAnswers } from '../processes.js';

/** Paths of private keys; the public half lies beside each, with `.pub`. */
export interface SshKeys {
  readonly plain: string;
  readonly rsa: string;
  readonly encrypted: { readonly path: string; readonly passphrase: string };
  /** Nobody's: every server refuses it. */
  readonly stranger: string;
}

export async function makeKey(path: string, type: 'ed25519' | 'rsa' = 'ed25519', passphrase = ''): Promise<string> {
  await command('ssh-keygen', [
    '-q',
    '-t',
    type,
    ...(type === 'rsa' ? ['-b', '2048'] : []),
    '-N',
    passphrase,
    '-C',
    'petasos-testbed',
    '-f',
    path,
  ]);
  return path;
}

export async function makeKeys(directory: string): Promise<SshKeys> {
  const passphrase = 'a hat with a wide brim';
  return {
    plain: await makeKey(join(directory, 'plain')),
    rsa: await makeKey(join(directory, 'rsa'), 'rsa'),
    encrypted: { path: await makeKey(join(directory, 'encrypted'), 'ed25519', passphrase), passphrase },
    stranger: await makeKey(join(directory, 'stranger')),
  };
}

export async function authorize(file: string, privateKeys: readonly string[]): Promise<void> {
  const lines = await Promise.all(privateKeys.map((key) => readFile(`${key}.pub`, 'utf8')));
  await writeFile(file, lines.join(''), { mode: 0o644 });
}

export interface SshAgent {
  readonly socket: string;
  readonly process: ProcessRecord;
}

/** An agent that holds the only copy of `key`: whoever logs in with it has asked the agent. */
export async function startAgent(directory: string, key: string): Promise<SshAgent> {
  const socket = join(directory, 'agent.sock');
  const logFile = join(directory, 'agent.log');
  const daemon = await startDaemon({ name: 'ssh-agent', program: 'ssh-agent', args: ['-D', '-a', socket], logFile });
  const env = { SSH_AUTH_SOCK: socket };
  await untilAnswers(daemon, logFile, () => command('ssh-add', ['-q', key], { env }));
  await rm(key);
  return { socket, process: daemon };
}
