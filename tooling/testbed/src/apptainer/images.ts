import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, link, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../command.js';

/** Packs one root file system as `docker save` would: what `docker-archive:` reads. */
export async function dockerArchive(rootTar: string, file: string): Promise<void> {
  const digest = await sha256(rootTar);
  const config = {
    architecture: { x64: 'amd64' }[process.arch as string] ?? process.arch,
    os: 'linux',
    config: { Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'], Cmd: ['sh'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
  };
  const staging = await mkdtemp(join(tmpdir(), 'petasos-archive-'));
  try {
    await writeFile(join(staging, 'config.json'), JSON.stringify(config));
    await writeFile(
      join(staging, 'manifest.json'),
      JSON.stringify([{ Config: 'config.json', RepoTags: ['petasos-testbed/image:latest'], Layers: ['layer.tar'] }]),
    );
    await link(rootTar, join(staging, 'layer.tar')).catch(() => copyFile(rootTar, join(staging, 'layer.tar')));
    await command('tar', ['-C', staging, '-cf', file, 'manifest.json', 'config.json', 'layer.tar']);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
