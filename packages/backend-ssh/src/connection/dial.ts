import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type AskSecret, PetasosError, type Progress } from '@petasos/core/backend';
import type { Client, ConnectConfig } from 'ssh2';
import { dialError, refusedError } from './errors.js';
import { hostKeySignatures, verifyHostKey } from './host-keys.js';
import { loadIdentities } from './identities.js';
import { ProxyCommand, type Wire } from './proxy-command.js';
import { describeTarget, type SshTarget } from './target.js';

/** What a connection may need while it is made. */
export interface DialContext {
  readonly askSecret?: AskSecret | undefined;
  readonly onProgress?: ((event: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A client that has logged in, and the way there. */
export interface Dialed {
  readonly client: Client;
  /** What carries it all on this machine: a socket, or the program of a ProxyCommand. */
  readonly wire: Wire;
  /** Clients on the machines that are passed, the nearest first. */
  readonly passed: readonly Client[];
}

const unansweredKeepalives = 3;

/** Connects, checks the host key and logs in: at every machine on the way. @throws `unavailable`, `credentials`, `host-key` */
export async function dial(target: SshTarget, context: DialContext): Promise<Dialed> {
  const [first = target] = target.jumps;
  const wire = first.proxyCommand === undefined ? await openSocket(first, context.signal) : new ProxyCommand(first, first.proxyCommand);
  const passed: Client[] = [];
  try {
    let line: Duplex = wire;
    for (const [index, jump] of target.jumps.entries()) {
      const client = await login(jump, line, context);
      passed.push(client);
      line = await passOn(client, jump, target.jumps[index + 1] ?? target);
    }
    return { client: await login(target, line, context), wire, passed };
  } catch (error) {
    for (const client of passed) client.destroy();
    wire.destroy();
    throw error;
  }
}

async function openSocket(target: SshTarget, signal: AbortSignal | undefined): Promise<Socket> {
  const socket = connect({ host: target.host, port: target.port, noDelay: true });
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([AbortSignal.timeout(target.connectTimeoutMs), ...(signal ? [signal] : [])]) });
  } catch (error) {
    socket.on('error', () => {});
    socket.destroy();
    if (signal?.aborted) throw abortedError(target, error);
    throw dialError(target, (error as Error).name === 'AbortError' ? { level: 'client-timeout' } : error);
  }
  return socket;
}

async function login(target: SshTarget, line: Duplex, context: DialContext): Promise<Client> {
  // The client listens from its start on; until then nobody would.
  line.on('error', () => {});
  const { default: ssh2 } = await import('ssh2');
  const [identities, serverHostKey] = await Promise.all([loadIdentities(target, context.askSecret), hostKeySignatures(target)]);
  if (line.destroyed) throw dialError(target, line.errored ?? undefined);
  let refusal: unknown;
  let accepted: readonly string[] = [];
  let asked = false;
  const config: ConnectConfig = {
    sock: line,
    username: target.user,
    readyTimeout: target.connectTimeoutMs,
    keepaliveInterval: target.keepaliveMs,
    keepaliveCountMax: unansweredKeepalives,
    algorithms: { serverHostKey },
    hostVerifier(key: Buffer, done: (valid: boolean) => void) {
      verifyHostKey(target, key, context.onProgress).then(
        () => done(true),
        (error: unknown) => {
          refusal = error;
          done(false);
        },
      );
    },
    authHandler(left, _partial, next) {
      accepted = left ?? accepted;
      // The types leave out the word for giving up.
      if (asked || identities.count === 0) return next(false as never);
      asked = true;
      next({ type: 'agent', username: target.user, agent: identities.agent });
    },
  };
  const client = new ssh2.Client();
  const giveUp = () => client.destroy();
  context.signal?.addEventListener('abort', giveUp, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('ready', resolve);
      client.once('close', () => reject(new Error('closed')));
      client.on('error', (error: Error & { level?: string }) => {
        // A key that could not sign is followed by the next one.
        if (error.level !== 'agent') reject(error);
      });
      client.connect(config);
    });
  } catch (error) {
    client.on('error', () => {});
    client.destroy();
    line.destroy();
    if (context.signal?.aborted) throw abortedError(target, error);
    if (refusal !== undefined) throw refusal;
    if ((error as { level?: string }).level === 'client-authentication')
      throw refusedError(target, identities.count, accepted, identities.problems);
    throw dialError(target, error);
  } finally {
    context.signal?.removeEventListener('abort', giveUp);
  }
  return client;
}

/** A stream through `jump` to the next machine. */
function passOn(client: Client, jump: SshTarget, next: SshTarget): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    client.forwardOut('127.0.0.1', 0, next.host, next.port, (cause, channel) => {
      if (channel !== undefined) return resolve(channel);
      const why = `${describeTarget(jump)} does not pass on to ${next.host}:${next.port}`;
      reject(
        new PetasosError('unavailable', why, {
          backend: 'ssh',
          operation: 'open',
          retryable: true,
          remedy: 'Check that the jump host allows TCP forwarding and reaches that port.',
          cause,
        }),
      );
    });
  });
}

function abortedError(target: SshTarget, cause: unknown): PetasosError {
  return new PetasosError('aborted', `connecting to ${describeTarget(target)} was aborted`, { backend: 'ssh', operation: 'open', cause });
}
