import { randomBytes } from 'node:crypto';
import {
  type DriverFiles,
  type DriverForward,
  type DriverProcess,
  type DriverTerminal,
  isPetasosError,
  PetasosError,
  type SpawnRequest,
  type TerminalRequest,
} from '@petasos/core/backend';
import { channelProcess } from './channel-process.js';
import type { DialContext } from './dial.js';
import { openForward } from './forward.js';
import { type BootRequest, bootCommand, bootLine, terminalBootCommand } from './login-shell.js';
import { type LinePool, poolFor } from './pool.js';
import { resolveTarget } from './resolve.js';
import { sftpFiles } from './sftp-files.js';
import { SftpSession, sftpStatus } from './sftp-session.js';
import { type ConnectionOptions, describeTarget, type SshTarget } from './target.js';
import { openTerminal } from './terminal.js';

export interface ScriptResult {
  /** Null where none was observed. */
  readonly exitCode: number | null;
  readonly stdout: Buffer;
}

/** The way to one server. Made by {@link connectionsTo}; nothing is connected before the first call that needs it. */
export interface SshConnections {
  readonly target: SshTarget;
  /**
   * Starts a process, connecting first where there is no connection (any more). A process of a connection that is lost ends
   * `disconnected`; it is never started again.
   */
  spawn(request: SpawnRequest): Promise<DriverProcess>;
  /** Runs a POSIX shell script with arguments, without a word of what login shells print. @throws `disconnected` */
  run(script: string, args?: readonly string[]): Promise<ScriptResult>;
  terminal(request: TerminalRequest): Promise<DriverTerminal>;
  /** A port of this machine that leads to a port of the server. @throws `unsupported` where the server forwards nothing */
  forward(port: number): Promise<DriverForward>;
  /** Files through SFTP; undefined where the server has none, or takes only one session on a connection. */
  files(): Promise<Pick<DriverFiles, 'read' | 'write'> | undefined>;
  /** Whether a path leads to something. @throws `disconnected` */
  exists(path: string): Promise<boolean>;
  /** Milliseconds from here to the server and back. @throws `disconnected` when it does not answer within `withinMs` */
  ping(withinMs: number): Promise<number>;
  /** Lets go of it; connections that nobody else uses are closed. Idempotent. */
  release(): void;
}

/**
 * The connections of this process to a server, shared by all who ask for the same one in the same way.
 *
 * A backend that needs another machine on the way (a login node, a remote engine) takes this and starts its own programs by
 * {@link SshConnections.spawn}; options are those of the ssh backend, `env` is the environment that Petasos runs in.
 * @throws `invalid-options` for options and configuration files that cannot be meant
 */
export async function connectionsTo(
  options: ConnectionOptions,
  env: Readonly<Record<string, string | undefined>>,
  context: DialContext = {},
): Promise<SshConnections> {
  const pool = poolFor(await resolveTarget(options, env));
  pool.hold(context);
  return new Connections(pool);
}

class Connections implements SshConnections {
  readonly target: SshTarget;
  readonly #pool: LinePool;
  #released = false;
  #hasSftp: boolean | undefined;
  #sftp: SftpSession | undefined;
  #openingSftp: Promise<boolean> | undefined;
  readonly #files = sftpFiles(async () => {
    await this.files();
    if (this.#sftp === undefined) throw new TypeError('there was SFTP and is none any more');
    return this.#sftp;
  });

  constructor(pool: LinePool) {
    this.#pool = pool;
    this.target = pool.target;
  }

  spawn(request: SpawnRequest): Promise<DriverProcess> {
    return this.#spawn(request);
  }

  async #spawn(request: BootRequest): Promise<DriverProcess> {
    const { opened, line, closed } = await this.#pool.session((one) => one.exec(bootCommand));
    const process = channelProcess(opened, line, closed);
    process.stdin.write(bootLine(request));
    if (request.stdin) return process;
    process.stdin.end();
    return { ...process, stdin: undefined };
  }

  async run(script: string, args: readonly string[] = []): Promise<ScriptResult> {
    const mark = randomBytes(16).toString('hex');
    const process = await this.#spawn({ argv: ['/bin/sh', '-c', script, 'petasos', ...args], stdin: false, before: `echo ${mark}` });
    process.stderr?.resume();
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdout) chunks.push(chunk as Buffer);
    const { exitCode } = await process.exited;
    const said = Buffer.concat(chunks);
    const begin = said.indexOf(`${mark}\n`);
    if (begin === -1) throw this.#noShell();
    return { exitCode, stdout: said.subarray(begin + mark.length + 1) };
  }

  async terminal(request: TerminalRequest): Promise<DriverTerminal> {
    const ready = randomBytes(16).toString('hex');
    const size = { columns: request.columns, rows: request.rows, term: request.env.TERM ?? 'xterm-256color' };
    const { opened, line, closed } = await this.#pool.session((one) => one.exec(terminalBootCommand(ready), size));
    return openTerminal(opened, channelProcess(opened, line, closed), request, ready);
  }

  forward(port: number): Promise<DriverForward> {
    return openForward(this.#pool, port);
  }

  async files(): Promise<Pick<DriverFiles, 'read' | 'write'> | undefined> {
    if (this.#sftp?.over === false) return this.#files;
    if (this.#hasSftp === false || this.#pool.sessionLimit === 1) return undefined;
    this.#openingSftp ??= this.#openSftp().finally(() => {
      this.#openingSftp = undefined;
    });
    return (await this.#openingSftp) ? this.#files : undefined;
  }

  async #openSftp(): Promise<boolean> {
    try {
      const { opened, line, closed } = await this.#pool.session((one) => one.sftp());
      this.#sftp = new SftpSession(opened, line, closed);
      this.#hasSftp = true;
      if (this.#released) this.#sftp.close();
      return true;
    } catch (error) {
      // A subsystem that is refused is one that the server does not have; a connection that is lost is told as such.
      if (isPetasosError(error)) throw error;
      this.#hasSftp = false;
      return false;
    }
  }

  async exists(path: string): Promise<boolean> {
    // Asked often: by SFTP it costs no process.
    await this.files();
    if (this.#sftp?.over !== false) return (await this.run('[ -e "$1" ]', [path])).exitCode === 0;
    return this.#sftp
      .call<unknown>((one, done) => one.stat(path, done))
      .then(
        () => true,
        (error: unknown) => {
          if ((error as { code?: unknown }).code === sftpStatus.noSuchFile) return false;
          throw error;
        },
      );
  }

  async ping(withinMs: number): Promise<number> {
    const line = await this.#pool.line();
    const started = performance.now();
    await line.ping(withinMs);
    return performance.now() - started;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#sftp?.close();
    this.#pool.release();
  }

  #noShell(): PetasosError {
    return new PetasosError('place-failed', `no shell answers at ${describeTarget(this.target)}`, {
      backend: 'ssh',
      operation: 'open',
      remedy: 'The account needs a login shell that runs commands, and a POSIX sh in its PATH.',
    });
  }
}
