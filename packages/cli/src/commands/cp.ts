import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Sandbox } from '@petasos/core';
import { isPetasosError } from '@petasos/core/backend';
import { defineCommand, jsonOption } from '../args/command.js';
import { requireExisting } from '../session/existing-sandbox.js';
import { openSandbox, resolveTarget } from '../session/open-sandbox.js';
import { counting, receiveFile } from '../session/receive-file.js';
import { CliError, UsageError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';
import { type ProgressDisplay, showProgress } from '../ui/progress.js';

/** `name:/path`: a file of a sandbox. A path of this machine that looks like one is written `./name:…`. */
const remoteShape = /^([A-Za-z0-9][A-Za-z0-9._-]*):(.+)$/s;

interface Copied {
  readonly files: number;
  readonly directories: number;
  readonly bytes: number;
  readonly skipped: readonly string[];
}

export default defineCommand({
  name: 'cp',
  summary: 'Copy a file or a tree into a sandbox, or out of it',
  usage: '[options] SRC DST',
  details:
    'One of the two is NAME:PATH. A directory that exists takes the copy under its own name, as with cp -r.\n' +
    'Modes, times and links are kept; the content of a tree travels as one stream.',
  options: {
    ignore: { type: 'string', multiple: true, value: 'PATTERN', help: 'leave out what matches, in gitignore syntax' },
    json: jsonOption,
  },
  words: [2, 2],
  examples: [
    { line: 'petasos cp ./project default:~/project --ignore node_modules/', does: 'a tree into the default sandbox' },
    { line: 'petasos cp default:/tmp/report.html .', does: 'a file out of it' },
  ],
  async run(context, values, [source = '', target = '']) {
    const from = remoteShape.exec(source);
    const to = remoteShape.exec(target);
    const name = from?.[1] ?? to?.[1];
    if ((from === null) === (to === null) || name === undefined)
      throw new UsageError('one of the two must be in a sandbox, and only one', 'Write it as NAME:PATH, such as default:/tmp/file.');
    const place = await resolveTarget(context);
    const sandbox = from === null ? await openSandbox(context, place, { name }) : await requireExisting(context, place, name);
    const progress = showProgress(context);
    try {
      const copied =
        from === null
          ? await sendTo(sandbox, resolve(context.cwd, source), to?.[2] ?? '', values.ignore, progress)
          : await fetchFrom(sandbox, from[2] ?? '', resolve(context.cwd, target), values.ignore, progress);
      progress.end();
      if (context.json) writeJson(context, { sandbox: { backend: sandbox.backend, name: sandbox.name, id: sandbox.id }, ...copied });
      else for (const path of copied.skipped) context.stderr.write(`left out: ${path} is no file, directory or link\n`);
      return exitStatus.ok;
    } finally {
      progress.end();
      await sandbox.close();
    }
  },
});

async function sendTo(
  { files }: Sandbox,
  local: string,
  remote: string,
  ignore: readonly string[],
  progress: ProgressDisplay,
): Promise<Copied> {
  const info = await stat(local).catch((cause: unknown) => {
    throw new CliError(`${local} cannot be read (${cause instanceof Error ? cause.message : String(cause)})`, {
      code: 'file-not-found',
      cause,
    });
  });
  const known = await files.stat(remote).catch(absent);
  const target = known?.kind === 'directory' ? `${remote.replace(/\/+$/, '')}/${basename(local)}` : remote;
  if (info.isDirectory()) {
    const { files: count, directories, bytes, skipped } = await files.upload(local, target, { ignore, onProgress: progress.report });
    return { files: count, directories, bytes, skipped };
  }
  const counted = counting((done) => progress.report({ step: basename(local), done, total: info.size, unit: 'bytes' }));
  const content = createReadStream(local).on('error', (error) => counted.destroy(error));
  await files.write(target, content.pipe(counted), { mode: info.mode & 0o777 });
  return { files: 1, directories: 0, bytes: info.size, skipped: [] };
}

async function fetchFrom(
  { files }: Sandbox,
  remote: string,
  local: string,
  ignore: readonly string[],
  progress: ProgressDisplay,
): Promise<Copied> {
  const info = await files.stat(remote);
  const isDirectory = await stat(local).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const target = isDirectory ? join(local, basename(info.path)) : local;
  if (info.kind === 'directory') {
    const { files: count, directories, bytes, skipped } = await files.download(remote, target, { ignore, onProgress: progress.report });
    return { files: count, directories, bytes, skipped };
  }
  const bytes = await receiveFile(await files.readStream(remote), target, info.mode, (done) =>
    progress.report({ step: basename(info.path), done, total: info.size, unit: 'bytes' }),
  );
  return { files: 1, directories: 0, bytes, skipped: [] };
}

function absent(error: unknown): undefined {
  if (isPetasosError(error, 'file-not-found')) return undefined;
  throw error;
}
