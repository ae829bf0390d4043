import { isPetasosError, PetasosError } from '@petasos/core/backend';
import { describeTarget, type SshTarget } from './target.js';

/** What ssh2 says beside the message: which part of the connection failed. */
export interface SshFailure {
  readonly level?: string | undefined;
  readonly code?: string | number | undefined;
}

/** The typed error for a connection that did not come about. */
export function dialError(target: SshTarget, cause: unknown): PetasosError {
  if (isPetasosError(cause)) return cause;
  const where = describeTarget(target);
  const { level, code } = (cause ?? {}) as SshFailure;
  const details = { backend: 'ssh', operation: 'open', cause, data: { host: target.host, port: target.port } };
  if (level === 'client-timeout') {
    return new PetasosError('unavailable', `${where} did not answer within ${target.connectTimeoutMs / 1000} s`, {
      ...details,
      retryable: true,
      remedy: 'Check the host, the port and whatever filters the network between.',
    });
  }
  if (level === 'handshake') {
    return new PetasosError('place-failed', `${where} and Petasos have no way of talking in common`, {
      ...details,
      remedy: 'The server offers no key exchange, host key or cipher that is still safe: update it.',
    });
  }
  const reasons: Readonly<Record<string, readonly [string, string]>> = {
    ECONNREFUSED: ['refuses connections on that port', 'Check that sshd runs there and that the port is right.'],
    ENOTFOUND: ['is a name that nobody knows', 'Check the spelling of the host.'],
    EAI_AGAIN: ['could not be looked up', 'Check the network and its name server.'],
    EHOSTUNREACH: ['cannot be reached from here', 'Check the network and the address.'],
    ENETUNREACH: ['cannot be reached from here', 'Check the network and the address.'],
    ETIMEDOUT: ['did not answer', 'Check the host, the port and whatever filters the network between.'],
  };
  const [what, remedy] = reasons[String(code)] ?? [
    'ended the connection before it was ready',
    'Look into the log of the SSH server; it may be full, restarting, or refusing this machine.',
  ];
  return new PetasosError('unavailable', `${where} ${what}`, { ...details, retryable: true, remedy });
}

/** None of the user's keys was accepted; `accepted` is what the server would take instead. */
export function refusedError(
  target: SshTarget,
  offered: number,
  accepted: readonly string[],
  problems: readonly PetasosError[],
): PetasosError {
  const where = describeTarget(target);
  const [problem] = problems;
  const tried = offered === 0 ? 'there is no key to offer' : `the server accepted none of ${offered} ${offered === 1 ? 'key' : 'keys'}`;
  const reason = problem === undefined ? tried : `${tried}, and ${problem.message}`;
  const methods = accepted.length === 0 || accepted.includes('publickey') ? '' : `; it only takes ${accepted.join(', ')}`;
  return new PetasosError('credentials', `cannot log in to ${where}: ${reason}${methods}`, {
    backend: 'ssh',
    operation: 'open',
    data: { host: target.host, port: target.port, user: target.user },
    remedy:
      problem?.remedy ?? 'Add your public key to ~/.ssh/authorized_keys there, or name another key with the option key (TERMINAL_SSH_KEY).',
    cause: problem,
  });
}

/** The connection was there and is not any more. */
export function lostError(target: SshTarget, cause?: unknown): PetasosError {
  return new PetasosError('disconnected', `the connection to ${describeTarget(target)} was lost`, {
    backend: 'ssh',
    retryable: true,
    remedy: 'Try again; the next command connects anew.',
    cause,
  });
}
