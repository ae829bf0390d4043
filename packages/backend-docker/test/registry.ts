import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { exposeToEngine } from './engine-network.js';

export interface Registry {
  /** `127.0.0.1:port`, which the engine under test speaks plain HTTP with. */
  readonly address: string;
  close(): Promise<void>;
}

const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const manifestType = 'application/vnd.docker.distribution.manifest.v2+json';

/** A private registry with one image, `private/busybox:latest`, made from a tar file. Source: the registry's HTTP interface, version 2. */
export async function startRegistry(tarFile: string, login: { readonly username: string; readonly password: string }): Promise<Registry> {
  const tar = await readFile(tarFile);
  const layer = gzipSync(tar, { level: 1 });
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const config = Buffer.from(
    JSON.stringify({ architecture, os: 'linux', config: { Cmd: ['sh'] }, rootfs: { type: 'layers', diff_ids: [sha256(tar)] } }),
  );
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: { mediaType: 'application/vnd.docker.container.image.v1+json', size: config.length, digest: sha256(config) },
      layers: [{ mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip', size: layer.length, digest: sha256(layer) }],
    }),
  );
  const authorization = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`;
  const answers = new Map<string, readonly [string, Buffer]>([
    ['/v2/', ['application/json', Buffer.from('{}')]],
    ...['latest', sha256(manifest)].map((tag) => [`/v2/private/busybox/manifests/${tag}`, [manifestType, manifest]] as const),
    ...[config, layer].map((blob) => [`/v2/private/busybox/blobs/${sha256(blob)}`, ['application/octet-stream', blob]] as const),
  ]);
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const answer = answers.get(request.url ?? '');
    if (request.headers.authorization !== authorization) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="private"' }).end('{"errors":[{"code":"UNAUTHORIZED"}]}');
    } else if (answer === undefined) {
      response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
    } else {
      const [type, bytes] = answer;
      response.writeHead(200, { 'Content-Type': type, 'Content-Length': bytes.length, 'Docker-Content-Digest': sha256(bytes) });
      response.end(request.method === 'HEAD' ? undefined : bytes);
    }
  });
  const directory = await mkdtemp(path.join(tmpdir(), 'docker-registry-'));
  const socket = path.join(directory, 'socket');
  server.listen(socket);
  await once(server, 'listening');
  const exposed = await exposeToEngine(socket);
  return {
    address: `127.0.0.1:${exposed.port}`,
    async close() {
      await exposed.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await rm(directory, { recursive: true });
    },
  };
}
