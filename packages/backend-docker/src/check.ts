import { type CheckFinding, type HostInfo, isPetasosError } from '@petasos/core/backend';
import { endpointName } from './engine/endpoint.js';
import { Engine } from './engine/engine.js';
import type { EngineInfo } from './engine/shapes.js';
import { type DockerOptions, defaultImage } from './options.js';

/** What `doctor` says: which engine was found and how, what it can do, and whether the image is there. */
export async function checkDocker(options: DockerOptions, host: HostInfo): Promise<readonly CheckFinding[]> {
  let engine: Engine;
  let info: EngineInfo;
  try {
    engine = await Engine.of(options, host);
    info = await engine.info();
  } catch (error) {
    if (!isPetasosError(error)) throw error;
    return [{ id: 'docker.engine', status: 'failed', message: error.message, remedy: error.remedy ?? 'Start Docker.' }];
  }
  return [engineFinding(engine, info), ...abilityFindings(info, options), await imageFinding(engine, options)];
}

function engineFinding({ connection: { endpoint } }: Engine, info: EngineInfo): CheckFinding {
  const where = `${endpointName(endpoint)} (${endpoint.source})`;
  if (info.OSType !== undefined && info.OSType !== 'linux') {
    return {
      id: 'docker.engine',
      status: 'failed',
      message: `the engine at ${where} runs ${info.OSType} containers`,
      remedy: 'Switch it to Linux containers.',
    };
  }
  const rootless = info.SecurityOptions?.some((option) => /name=rootless/.test(option)) ?? false;
  const words = [
    `engine ${info.ServerVersion ?? ''} at ${where}`,
    info.OperatingSystem,
    rootless ? 'rootless' : 'with root on its machine',
    info.Driver && `storage ${info.Driver}`,
    info.CgroupVersion && `cgroup v${info.CgroupVersion}`,
  ];
  return { id: 'docker.engine', status: 'ok', message: words.filter((word) => word).join(', ') };
}

function abilityFindings(info: EngineInfo, options: DockerOptions): CheckFinding[] {
  const cannot = [
    ...(options.memoryMiB !== undefined && info.MemoryLimit === false ? ['memory'] : []),
    ...(info.PidsLimit === false ? ['processes'] : []),
  ];
  if (cannot.length === 0) return [];
  return [
    {
      id: 'docker.limits',
      status: 'warning',
      message: `this engine cannot limit ${cannot.join(' and ')}`,
      remedy: 'Give it the control groups it needs (with rootless Docker: cgroup v2 and delegation by systemd).',
    },
  ];
}

async function imageFinding(engine: Engine, options: DockerOptions): Promise<CheckFinding> {
  const reference = options.image ?? defaultImage;
  if ((await engine.image(reference)) !== undefined)
    return { id: 'docker.image', status: 'ok', message: `the image ${reference} is present` };
  const missing = `the image ${reference} is not present`;
  if (options.pull === 'never')
    return { id: 'docker.image', status: 'failed', message: missing, remedy: `Load or pull it: docker pull ${reference}.` };
  return {
    id: 'docker.image',
    status: 'warning',
    message: `${missing}; the first sandbox waits for its download`,
    remedy: `Fetch it now: petasos setup docker, or docker pull ${reference}.`,
  };
}
