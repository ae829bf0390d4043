import { type ApptainerInfo, apptainer } from './apptainer/service.js';
import { type DockerInfo, docker } from './docker/service.js';
import { type PodmanInfo, podman } from './podman/service.js';
import type { Service } from './service.js';
import { type SlurmInfo, slurm } from './slurm/service.js';
import { type SshdInfo, sshd } from './sshd/service.js';
import { type UserlandInfo, userland } from './userland/service.js';

/** What each service tells of itself once it runs. */
export interface ServiceInfos {
  readonly apptainer: ApptainerInfo;
  readonly docker: DockerInfo;
  readonly podman: PodmanInfo;
  readonly slurm: SlurmInfo;
  readonly sshd: SshdInfo;
  readonly userland: UserlandInfo;
}

export type ServiceName = keyof ServiceInfos;

/** Every service there is. A package asks for them by name in the `testbed` field of its package.json. */
export const services: { readonly [Name in ServiceName]: Service<ServiceInfos[Name]> } = {
  apptainer,
  docker,
  podman,
  slurm,
  sshd,
  userland,
};

export const serviceNames = Object.keys(services) as ServiceName[];

export function isServiceName(name: string): name is ServiceName {
  return Object.hasOwn(services, name);
}
