import { createReadStream } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: Readable | undefined;
}

/** The few calls to an engine that the testbed itself makes; tests use the real client. */
async function call(socketPath: string, { method, path, body }: Call): Promise<string> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({ socketPath, method, path, headers: { Host: 'docker' } }, resolve);
    outgoing.once('error', reject);
    if (body === undefined) outgoing.end();
    else pipeline(body, outgoing).catch(reject);
  });
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  if ((response.statusCode ?? 500) >= 400)
    throw new Error(`the engine answers ${response.statusCode} to ${method} ${path}: ${text.trim()}`);
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

/** Ends every container at once; an engine that is told to end waits ten seconds for each that ignores TERM. */
export async function killContainers(socket: string): Promise<void> {
  const running = JSON.parse(await call(socket, { method: 'GET', path: '/containers/json' })) as { readonly Id: string }[];
  await Promise.all(running.map(({ Id }) => call(socket, { method: 'POST', path: `/containers/${Id}/kill` })));
}

/**
 * Makes an image from a tar file of a root file system.
 * @param changes Dockerfile instructions, such as `USER 1000`.
 */
export async function importImage(socket: string, tarFile: string, reference: string, changes: readonly string[] = []): Promise<void> {
  const [repo = '', tag = 'latest'] = reference.split(':');
  const query = new URLSearchParams({ fromSrc: '-', repo, tag });
  for (const change of changes) query.append('changes', change);
  const answer = await call(socket, { method: 'POST', path: `/images/create?${query}`, body: createReadStream(tarFile) });
  // The engine answers 200 before it knows; what went wrong is in the stream of progress lines.
  const failed = answer.split('\n').find((line) => line.includes('"error"'));
  if (failed !== undefined) throw new Error(`the engine could not import ${reference}: ${failed}`);
}
