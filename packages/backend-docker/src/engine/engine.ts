import type { Duplex, Readable } from 'node:stream';
import type { HostInfo } from '@petasos/core/backend';
import { Connection } from './connection.js';
import { findEndpoint, type Wanted } from './endpoint.js';
import { statusOf } from './errors.js';
import type { ContainerDetails, ContainerSummary, EngineInfo, ExecDetails, ImageDetails, ImageSummary } from './shapes.js';

export interface ExecRequest {
  readonly argv: readonly string[];
  readonly stdin: boolean;
  readonly tty?: boolean | undefined;
  readonly env?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
}

const quickMs = 15_000;
/** Asked while a command runs: an engine that does not answer by then counts as lost. */
const livenessMs = 2_000;
/** A container starts within seconds; a machine that is out of breath may take a while. */
const slowMs = 120_000;
/**
 * Keys that let go of a terminal; the engine always has some, by default Ctrl-P and Ctrl-Q, and keeps the first of them back until it has
 * seen the next. Nobody types these one after the other.
 */
const neverTyped = 'ctrl-^,ctrl-@,ctrl-_,ctrl-@,ctrl-^,ctrl-@,ctrl-_,ctrl-@';

/** The calls to the engine that this package makes, each under the name that the API's documentation uses. */
export class Engine {
  readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  static async of(wanted: Wanted, host: HostInfo): Promise<Engine> {
    return new Engine(new Connection(await findEndpoint(wanted, host)));
  }

  info(): Promise<EngineInfo> {
    return this.connection.json({ method: 'GET', path: '/info', silenceMs: quickMs, what: 'tell about itself' });
  }

  createContainer(name: string, body: object, platform: string | undefined): Promise<{ readonly Id: string }> {
    return this.connection.json({
      method: 'POST',
      path: '/containers/create',
      query: { name, platform },
      json: body,
      silenceMs: slowMs,
      what: `create the container ${name}`,
    });
  }

  startContainer(id: string): Promise<void> {
    return this.connection.send({ method: 'POST', path: `/containers/${id}/start`, silenceMs: slowMs, what: 'start the container' });
  }

  /** Undefined when there is none. */
  container(id: string, liveness = false): Promise<ContainerDetails | undefined> {
    return optional(
      this.connection.json<ContainerDetails>({
        method: 'GET',
        path: `/containers/${encodeURIComponent(id)}/json`,
        silenceMs: liveness ? livenessMs : quickMs,
        what: 'describe the container',
      }),
    );
  }

  containers(labels: readonly string[]): Promise<readonly ContainerSummary[]> {
    return this.connection.json({
      method: 'GET',
      path: '/containers/json',
      query: { all: true, filters: JSON.stringify({ label: labels }) },
      silenceMs: quickMs,
      what: 'list containers',
    });
  }

  /** Ends it at once and takes its anonymous volumes along. @returns false when there was none. */
  async removeContainer(id: string): Promise<boolean> {
    const removed = await optional(
      this.connection
        .send({
          method: 'DELETE',
          path: `/containers/${id}`,
          query: { force: true, v: true },
          silenceMs: slowMs,
          what: 'remove the container',
        })
        .then(() => true),
    );
    return removed === true;
  }

  pause(id: string): Promise<void> {
    return this.connection.send({ method: 'POST', path: `/containers/${id}/pause`, what: 'pause the container' });
  }

  unpause(id: string): Promise<void> {
    return this.connection.send({ method: 'POST', path: `/containers/${id}/unpause`, what: 'resume the container' });
  }

  async createExec(id: string, { argv, stdin, tty = false, env, cwd }: ExecRequest): Promise<string> {
    const { Id } = await this.connection.json<{ readonly Id: string }>({
      method: 'POST',
      path: `/containers/${id}/exec`,
      json: {
        AttachStdin: stdin,
        AttachStdout: true,
        AttachStderr: !tty,
        Tty: tty,
        ...(tty && { DetachKeys: neverTyped }),
        Cmd: argv,
        ...(env && env.length > 0 && { Env: env }),
        ...(cwd !== undefined && { WorkingDir: cwd }),
      },
      silenceMs: quickMs,
      what: 'prepare a process',
    });
    return Id;
  }

  startExec(exec: string, tty: boolean): Promise<Duplex> {
    return this.connection.hijack({
      method: 'POST',
      path: `/exec/${exec}/start`,
      json: { Detach: false, Tty: tty },
      silenceMs: slowMs,
      what: 'start a process',
    });
  }

  resizeExec(exec: string, columns: number, rows: number): Promise<void> {
    return this.connection.send({
      method: 'POST',
      path: `/exec/${exec}/resize`,
      query: { w: columns, h: rows },
      silenceMs: quickMs,
      what: 'resize a terminal',
    });
  }

  exec(exec: string): Promise<ExecDetails | undefined> {
    return optional(
      this.connection.json<ExecDetails>({ method: 'GET', path: `/exec/${exec}/json`, silenceMs: quickMs, what: 'describe a process' }),
    );
  }

  image(reference: string): Promise<ImageDetails | undefined> {
    return optional(
      this.connection.json<ImageDetails>({
        method: 'GET',
        path: `/images/${encodeURIComponent(reference)}/json`,
        silenceMs: quickMs,
        what: `describe the image ${reference}`,
      }),
    );
  }

  images(labels: readonly string[]): Promise<readonly ImageSummary[]> {
    return this.connection.json({
      method: 'GET',
      path: '/images/json',
      query: { filters: JSON.stringify({ label: labels }) },
      silenceMs: quickMs,
      what: 'list images',
    });
  }

  /** @returns false when there was none. @throws with status 409 while a container uses it. */
  async removeImage(reference: string): Promise<boolean> {
    const removed = await optional(
      this.connection
        .send({
          method: 'DELETE',
          path: `/images/${encodeURIComponent(reference)}`,
          silenceMs: slowMs,
          what: `remove the image ${reference}`,
        })
        .then(() => true),
    );
    return removed === true;
  }

  /** Labels go along as instructions of a build file: those of the body are taken by Docker and not by Podman. */
  commit(container: string, repo: string, tag: string, labels: Readonly<Record<string, string>>): Promise<{ readonly Id: string }> {
    const changes = Object.entries(labels).map(([name, value]) => `LABEL ${name}=${value}`);
    return this.connection.json({
      method: 'POST',
      path: '/commit',
      query: { container, repo, tag, pause: true, changes: changes.join('\n') },
      json: {},
      silenceMs: 600_000,
      what: 'keep the container’s files as an image',
    });
  }

  async hasPath(container: string, path: string): Promise<boolean> {
    const call = { method: 'HEAD', path: `/containers/${container}/archive`, query: { path }, what: `look for ${path}` } as const;
    return (await optional(this.connection.send({ ...call, silenceMs: quickMs }).then(() => true))) === true;
  }

  /** Puts an archive's entries below `path` of a container. */
  putArchive(container: string, path: string, archive: Readable): Promise<void> {
    return this.connection.send({
      method: 'PUT',
      path: `/containers/${container}/archive`,
      query: { path },
      headers: { 'Content-Type': 'application/x-tar' },
      body: archive,
      silenceMs: slowMs,
      what: `unpack an archive at ${path}`,
    });
  }
}

/** Not there is an answer, too. */
async function optional<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
