import { createReadStream, createWriteStream } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly json?: object | undefined;
  readonly body?: Readable | undefined;
}

/** The few calls to an engine that the testbed itself makes; tests use the real client. */
async function call(socketPath: string, request: Call): Promise<string> {
  return textOf(await answer(socketPath, request));
}

async function answer(socketPath: string, { method, path, json, body }: Call): Promise<IncomingMessage> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { Host: 'docker', ...(json && { 'Content-Type': 'application/json' }) };
    const outgoing = request({ socketPath, method, path, headers }, resolve);
    outgoing.once('error', reject);
    if (body === undefined) outgoing.end(json && JSON.stringify(json));
    else pipeline(body, outgoing).catch(reject);
  });
  const { statusCode = 500 } = response;
  if (statusCode < 400) return response;
  throw new Error(`the engine answers ${statusCode} to ${method} ${path}: ${(await textOf(response)).trim()}`);
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  return text;
}

export interface EngineVersion {
  readonly Version: string;
  readonly ApiVersion: string;
}

export async function engineVersion(socket: string): Promise<EngineVersion> {
  return JSON.parse(await call(socket, { method: 'GET', path: '/version' })) as EngineVersion;
}

export async function hasImage(socket: string, reference: string): Promise<boolean> {
  return call(socket, { method: 'GET', path: `/images/${encodeURIComponent(reference)}/json` }).then(
    () => true,
    () => false,
  );
}

/** Pulls an image and gives it another name. */
export async function pullImage(socket: string, source: string, reference: string): Promise<void> {
  const [repo = '', tag = 'latest'] = reference.split(':');
  await create(socket, { fromImage: source.split(':')[0] ?? '', tag: source.split(':')[1] ?? 'latest' });
  await call(socket, { method: 'POST', path: `/images/${encodeURIComponent(source)}/tag?${new URLSearchParams({ repo, tag })}` });
}

/** Writes an image's root file system to a tar file. */
export async function exportImage(socket: string, reference: string, tarFile: string): Promise<void> {
  const made = await call(socket, { method: 'POST', path: '/containers/create', json: { Image: reference, Cmd: ['true'] } });
  const { Id } = JSON.parse(made) as { readonly Id: string };
  try {
    await pipeline(await answer(socket, { method: 'GET', path: `/containers/${Id}/export` }), createWriteStream(tarFile));
  } finally {
    await call(socket, { method: 'DELETE', path: `/containers/${Id}?v=1` });
  }
}

/** Ends every container at once; an engine that is told to end waits ten seconds for each that ignores TERM. */
export async function killContainers(socket: string): Promise<void> {
  const running = JSON.parse(await call(socket, { method: 'GET', path: '/containers/json' })) as { readonly Id: string }[];
  await Promise.all(running.map(({ Id }) => call(socket, { method: 'POST', path: `/containers/${Id}/kill` })));
}

/** Removes every container, whatever it does. */
export async function removeContainers(socket: string): Promise<void> {
  const all = JSON.parse(await call(socket, { method: 'GET', path: '/containers/json?all=1' })) as { readonly Id: string }[];
  await Promise.all(all.map(({ Id }) => call(socket, { method: 'DELETE', path: `/containers/${Id}?force=1&v=1` })));
}

/**
 * Makes an image from a tar file of a root file system.
 * @param changes Dockerfile instructions, such as `USER 1000`.
 */
export async function importImage(socket: string, tarFile: string, reference: string, changes: readonly string[] = []): Promise<void> {
  // Podman does not look at a tag that stands by itself.
  await create(socket, { fromSrc: '-', repo: reference }, changes, createReadStream(tarFile));
}

async function create(
  socket: string,
  fields: Readonly<Record<string, string>>,
  changes: readonly string[] = [],
  body?: Readable,
): Promise<void> {
  const query = new URLSearchParams(fields);
  for (const change of changes) query.append('changes', change);
  const progress = await call(socket, { method: 'POST', path: `/images/create?${query}`, body });
  // The engine answers 200 before it knows; what went wrong is in the stream of progress lines.
  const failed = progress.split('\n').find((line) => line.includes('"error"'));
  if (failed !== undefined) throw new Error(`the engine could not make the image: ${failed}`);
}
