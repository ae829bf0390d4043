import type { CreateSpec } from '@petasos/core/backend';
import type { ImageDetails } from '../engine/shapes.js';
import { type DockerOptions, defaultImage } from '../options.js';
import keeper from '../scripts/keeper.sh?raw';
import { hardening } from './hardening.js';
import { looksLikeHostPath } from './host-path.js';
import { label } from './labels.js';
import { mountsOf, workspace } from './mounts.js';
import { parseSize } from './size.js';

const mib = 1024 * 1024;
const defaultTmpMiB = 512;
const defaultPids = 1024;

export interface ContainerSpec {
  /** Body of `POST /containers/create`. */
  readonly body: object;
  /** Directories that an ordinary user needs and perhaps nobody has made. */
  readonly prepare: readonly string[];
  /** The directory where commands are to start, if that looks like one of this machine. */
  readonly foreign: string | undefined;
}

/** What a container is made of: the options, what a sandbox needs to end by itself, and the hardening. */
export function containerSpec(options: DockerOptions, spec: CreateSpec, image: ImageDetails, token: string): ContainerSpec {
  const user = userOf(options) ?? image.Config?.User ?? '';
  const directory = startDirectory(options, spec, image, user);
  const persistent = isPersistent(options);
  const scratch = `${options.readOnly ? '/tmp' : '/var/tmp'}/.petasos-sandbox-${token}`;
  const ends = spec.lifetimeMs === undefined ? undefined : Date.now() + spec.lifetimeMs;
  const { mounts, binds, targets } = mountsOf(options, spec.hostEnv);
  const body = {
    Image: spec.from ?? options.image ?? defaultImage,
    Hostname: hostnameOf(spec.name),
    ...(userOf(options) !== undefined && { User: userOf(options) }),
    WorkingDir: directory,
    // Whatever the image would start is not wanted: the container is a place to run commands in.
    Entrypoint: ['/bin/sh', '-c', keeper, 'petasos-keeper'],
    Cmd: [String(spec.idleLimitMs), ends === undefined ? '' : String(Math.ceil(ends / 1000)), scratch],
    Healthcheck: { Test: ['NONE'] },
    // Its first process does not hear TERM, and there is nothing that it had to save.
    StopSignal: 'SIGKILL',
    Labels: {
      ...spec.labels,
      [label.persistent]: String(persistent),
      [label.scratch]: scratch,
      [label.image]: spec.from ?? options.image ?? defaultImage,
      ...(ends === undefined ? {} : { [label.ends]: String(ends) }),
    },
    HostConfig: {
      ...hardening(options),
      AutoRemove: !persistent,
      LogConfig: { Type: 'none' },
      Mounts: mounts,
      Binds: binds,
      Tmpfs: tmpfsOf(options, user),
      ...(options.readOnly && { ReadonlyRootfs: true }),
      ...(options.cpus !== undefined && { NanoCpus: Math.round(options.cpus * 1e9) }),
      ...(options.memoryMiB !== undefined && memoryLimit(options.memoryMiB)),
      ...(options.diskMiB !== undefined && { StorageOpt: { size: `${Math.round(options.diskMiB)}M` } }),
      PidsLimit: options.pids ?? defaultPids,
      ...networkOf(options),
      ...(options.extraHosts && { ExtraHosts: options.extraHosts }),
      ...(options.dns && { Dns: options.dns }),
      ...(options.runtime !== undefined && { Runtime: options.runtime }),
      ...(parseSize(options.shmSize ?? '') !== undefined && { ShmSize: parseSize(options.shmSize ?? '') }),
      ...(options.gpus !== undefined && {
        DeviceRequests: [{ Driver: '', Count: options.gpus === 'all' ? -1 : options.gpus, Capabilities: [['gpu']] }],
      }),
    },
  };
  const wanted = isRoot(user) || options.readOnly ? [] : ['/var/tmp', ...(directory === workspace ? [workspace] : [])];
  // The image's own directory is the image's business.
  const asked = spec.workdir ?? options.workdir;
  const mounted = (path: string) => targets.some((target) => path === target || path.startsWith(`${target.replace(/\/$/, '')}/`));
  return {
    body,
    prepare: wanted.filter((path) => !mounted(path)),
    foreign: asked !== undefined && !mounted(asked) && looksLikeHostPath(asked, spec.hostEnv) ? asked : undefined,
  };
}

/** Swap would let a command use more than the limit says. */
function memoryLimit(memoryMiB: number): { readonly Memory: number; readonly MemorySwap: number } {
  const bytes = Math.round(memoryMiB * mib);
  return { Memory: bytes, MemorySwap: bytes };
}

/** The user as it was asked for; undefined: the image's. */
export function userOf(options: DockerOptions): string | undefined {
  if (options.user !== undefined) return options.user;
  if (!options.runAsHostUser || process.getuid === undefined || process.getgid === undefined) return undefined;
  return `${process.getuid()}:${process.getgid()}`;
}

/** What is in memory does not outlive the container: unless it is asked for, nothing of a read-only one is kept. */
export function isPersistent({ persistent, readOnly }: DockerOptions): boolean {
  return persistent ?? readOnly !== true;
}

export function isRoot(user: string): boolean {
  return user === '' || /^(root|0+)(:|$)/.test(user);
}

function startDirectory(options: DockerOptions, spec: CreateSpec, image: ImageDetails, user: string): string {
  const asked = spec.workdir ?? options.workdir ?? (options.mountCwdToWorkspace ? workspace : undefined) ?? image.Config?.WorkingDir;
  if (asked !== undefined && asked !== '' && asked !== '/') return asked;
  return isRoot(user) && !options.readOnly ? '/root' : workspace;
}

function tmpfsOf(options: DockerOptions, user: string): Record<string, string> {
  const size = options.tmpMiB ?? defaultTmpMiB;
  const owner = /^(\d+)(?::(\d+))?$/.exec(user);
  const owned = owner ? `,uid=${owner[1]},gid=${owner[2] ?? '0'}` : '';
  return {
    '/tmp': `rw,nosuid,nodev,exec,mode=1777,size=${size}m`,
    ...(options.readOnly && {
      '/run': 'rw,nosuid,nodev,noexec,mode=755,size=64m',
      ...(isRoot(user) && { '/root': `rw,nosuid,nodev,exec,mode=700,size=${size}m` }),
      ...(!options.mountCwdToWorkspace && {
        [workspace]: `rw,nosuid,nodev,exec,size=${size}m,${isRoot(user) || owned ? `mode=755${owned}` : 'mode=1777'}`,
      }),
    }),
    ...options.tmpfs,
  };
}

function networkOf({ network }: DockerOptions): { readonly NetworkMode?: string } {
  if (network === undefined || network === true || network === 'open') return {};
  return { NetworkMode: network === false ? 'none' : network };
}

/** A name that DNS takes; letters, digits and `-`. */
function hostnameOf(name: string): string {
  return name.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '') || 'petasos';
}
