import docker from '@petasos/backend-docker';
import { admitAll, open, type Sandbox } from '@petasos/core';
import { type DockerInfo, need } from '@petasos/testbed';
import { rawSpawn } from '../raw.js';

let found: Promise<DockerInfo> | undefined;

/** Other places are measured without an engine. */
function testbed(): Promise<DockerInfo> {
  found ??= need('docker').then((info) => {
    // For docker's own program.
    process.env.DOCKER_HOST = info.host;
    return info;
  });
  return found;
}

export async function openDocker(): Promise<Sandbox> {
  const { host, images } = await testbed();
  return open(docker, { options: { host, image: images.debian, pull: 'never' }, gate: admitAll() });
}

/** Gives `action` a fresh container and removes it. */
export async function withDocker<T>(action: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const sandbox = await openDocker();
  try {
    return await action(sandbox);
  } finally {
    await sandbox.destroy();
  }
}

export const debianImage = async (): Promise<string> => (await testbed()).images.debian;

/** Docker's own program. */
export async function rawDocker(...args: string[]): Promise<number> {
  await testbed();
  return rawSpawn('docker', args);
}
