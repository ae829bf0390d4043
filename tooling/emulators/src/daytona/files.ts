import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { Exchange, HttpProblem } from '../core/index.js';
import { daemonProblem } from './problem.js';
import type { Sandbox } from './sandbox.js';

const boundary = 'daytona-emulator-7d1f0c';

/** `POST /files/bulk-upload`: `files[i].path`, then `files[i].file`; parents are made. */
export async function upload({ box }: Sandbox, exchange: Exchange): Promise<void> {
  const paths = new Map<string, string>();
  const writes: Promise<void>[] = [];
  const form = busboy({ headers: exchange.request.headers, preservePath: true });
  form.on('field', (name, value) => paths.set(name.replace(/\.path$/, ''), value));
  form.on('file', (name, content) => {
    const target = box.tree.locate(paths.get(name.replace(/\.file$/, '')) ?? '');
    const written = mkdir(path.dirname(target), { recursive: true })
      .then(() => pipeline(content, createWriteStream(target)))
      .catch((error: unknown) => {
        content.resume();
        throw error;
      });
    // A request that is cut off fails as a whole, and then nobody waits for its parts.
    written.catch(() => {});
    writes.push(written);
  });
  try {
    await pipeline(exchange.request, form);
    await Promise.all(writes);
  } catch (error) {
    throw fileProblem(error);
  }
  await exchange.reply(200, {});
}

/** `POST /files/bulk-download`: a part for each path, its bytes or why there are none. */
export async function download({ box }: Sandbox, exchange: Exchange): Promise<void> {
  const { paths } = (await exchange.json()) as { paths?: string[] };
  const answer = await exchange.stream(200, { 'content-type': `multipart/form-data; boundary=${boundary}` });
  const head = (name: string, file: string, type: string) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${file}"\r\nContent-Type: ${type}\r\n\r\n`);
  for (const wanted of paths ?? []) {
    const file = box.tree.locate(wanted);
    const found = await stat(file).catch((error: unknown) => fileProblem(error));
    const problem =
      found instanceof Error ? found : found.isDirectory() ? daemonProblem(400, 'path is a directory', 'INVALID_FILE_PATH') : undefined;
    if (problem) {
      const body = { statusCode: problem.status, message: problem.message, ...problem.details };
      await answer.write(Buffer.concat([head('error', wanted, 'application/json'), Buffer.from(JSON.stringify(body))]));
    } else {
      await answer.write(head('file', wanted, 'application/octet-stream'));
      for await (const chunk of createReadStream(file)) if (!(await answer.write(chunk as Buffer))) return;
    }
    await answer.write(Buffer.from('\r\n'));
  }
  await answer.write(Buffer.from(`--${boundary}--\r\n`));
  answer.end();
}

/** The single-file routes; undefined for one that is not among them. */
export async function fileRoute(sandbox: Sandbox, exchange: Exchange, route: string): Promise<boolean> {
  const query = exchange.url.searchParams;
  const at = (name = 'path') => sandbox.box.tree.locate(query.get(name) ?? '');
  const done = async (status: number, body?: unknown) => {
    await exchange.reply(status, body);
    return true;
  };
  try {
    switch (route) {
      case 'GET /files':
        return done(200, await Promise.all((await readdir(at())).map((name) => describe(path.join(at(), name), name))));
      case 'GET /files/info':
        return done(200, await describe(at(), path.basename(query.get('path') ?? '')));
      case 'DELETE /files':
        await rm(at(), { recursive: query.get('recursive') === 'true' });
        return done(204);
      case 'POST /files/folder':
        await mkdir(at(), { recursive: true, mode: Number.parseInt(query.get('mode') ?? '755', 8) });
        return done(201, {});
      case 'POST /files/permissions':
        await chmod(at(), Number.parseInt(query.get('mode') ?? '644', 8));
        return done(200, {});
      case 'POST /files/move':
        await rename(at('source'), at('destination'));
        return done(200, {});
      default:
        return false;
    }
  } catch (error) {
    throw fileProblem(error);
  }
}

async function describe(file: string, name: string): Promise<Record<string, unknown>> {
  const found = await stat(file);
  return {
    name,
    isDir: found.isDirectory(),
    size: found.size,
    mode: `0${(found.mode & 0o777).toString(8)}`,
    permissions: (found.mode & 0o777).toString(8),
    owner: 'root',
    group: 'root',
    modTime: found.mtime.toISOString(),
    modifiedAt: found.mtime.toISOString(),
  };
}

function fileProblem(error: unknown): HttpProblem {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return daemonProblem(404, 'file not found', 'FILE_NOT_FOUND');
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return daemonProblem(403, message, 'FILE_ACCESS_DENIED');
  if (code === 'EISDIR' || code === 'ENOTDIR') return daemonProblem(400, message, 'INVALID_FILE_PATH');
  return daemonProblem(500, message);
}
