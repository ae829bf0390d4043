import { capabilitiesOf, isPetasosError } from '@petasos/core';
import { describe, expect, it } from 'vitest';
import { mountsOf } from '../src/container/mounts.js';
import { parseSize } from '../src/container/size.js';
import type { ContainerDetails } from '../src/engine/shapes.js';
import docker, { type DockerOptions } from '../src/index.js';
import { placementOf } from '../src/placement.js';
import { inspect, openDocker } from './sandboxes.js';

async function validate(options: object): Promise<{ readonly value?: DockerOptions; readonly problems: string }> {
  const result = await docker.options['~standard'].validate(options);
  if (result.issues === undefined) return { value: result.value, problems: '' };
  return {
    problems: result.issues
      .map(({ message, path }) => `${(path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')} ${message}`)
      .join('; '),
  };
}

describe('arguments of docker run', () => {
  it('become the options that they stand for, and win over them', async () => {
    const { value } = await validate({
      cpus: 1,
      capAdd: ['NET_RAW'],
      extraArgs: ['--cpus=2', '--memory', '1g', '-v', '/a:/b', '--cap-add=SYS_PTRACE', '--gpus', 'all', '--tmpfs', '/t:size=1m', '--init'],
    });
    expect(value).toEqual({
      cpus: 2,
      memoryMiB: 1024,
      volumes: ['/a:/b'],
      capAdd: ['NET_RAW', 'SYS_PTRACE'],
      gpus: 'all',
      tmpfs: { '/t': 'size=1m' },
    });
  });

  it.each([
    [['--publish', '80:80'], '--publish is not supported'],
    [['-e', 'TOKEN=value'], 'use the option env'],
    [['--memory', 'lots'], '--memory lots: must be a size'],
    [['--cpus'], '--cpus needs a value'],
    [['--security-opt', 'seccomp=unconfined'], '--security-opt seccomp=unconfined is not supported'],
  ])('that nothing stands for are refused by name: %j', async (extraArgs, problem) => {
    const { problems } = await validate({ extraArgs });
    expect(problems).toContain(problem);
    expect(problems).not.toContain('TOKEN');
  });
});

it.each([
  [{ workdir: 'relative' }, 'workdir must be an absolute path'],
  [{ cpus: 0 }, 'cpus'],
  [{ shmSize: 'big' }, 'shmSize must be a size'],
  [{ env: { 'NO NAME': '' } }, 'is no name of a variable'],
  [{ extraHosts: ['nothing'] }, 'must be name:address'],
  [{ imagee: 'x' }, 'imagee'],
])('options that cannot be are refused: %j', async (options, problem) => {
  expect((await validate(options)).problems).toContain(problem);
});

it.each([
  ['64m', 64 * 1024 ** 2],
  ['1g', 1024 ** 3],
  ['1.5GiB', 1.5 * 1024 ** 3],
  ['512', 512],
  [1024, 1024],
  ['', undefined],
  ['1x', undefined],
])('the size %s is %s bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

describe('volumes', () => {
  const mounted = (...volumes: string[]) => mountsOf({ volumes }, { HOME: '/home/me' });

  it('are directories of the machine, with ~ for home, or volumes of docker', () => {
    expect(mounted('/src:/dst:ro', '~/data:/data', 'cache:/cache').mounts).toEqual([
      { Type: 'bind', Source: '/src', Target: '/dst', ReadOnly: true },
      { Type: 'bind', Source: '/home/me/data', Target: '/data', ReadOnly: false },
      { Type: 'volume', Source: 'cache', Target: '/cache', ReadOnly: false },
    ]);
    expect(mounted('/src:/dst:ro,z').binds).toEqual(['/src:/dst:ro,z']);
  });

  it.each(['/src', '/src:relative', ':/dst', '/src:/dst:rx'])('that cannot be mounted are refused: %s', (entry) => {
    let thrown: unknown;
    try {
      mounted(entry);
    } catch (error) {
      thrown = error;
    }
    expect(isPetasosError(thrown, 'invalid-options')).toBe(true);
  });
});

describe('capabilities', () => {
  it('follow the options: files that are kept, root that is asked for, GPUs', () => {
    expect(capabilitiesOf(docker, {})).toMatchObject({ persistent: true, root: false, gpu: false });
    expect(capabilitiesOf(docker, { persistent: false, user: 'root', gpus: 'all' })).toMatchObject({
      persistent: false,
      root: true,
      gpu: true,
    });
    expect(capabilitiesOf(docker, { user: '1000:1000' }).root).toBe(false);
  });
});

it('a privileged container is warned of', () => {
  const container: ContainerDetails = {
    Id: '0'.repeat(64),
    Name: '/one',
    Created: '',
    State: { Status: 'running' },
    Config: { Image: 'image' },
    HostConfig: { Privileged: true },
  };
  expect(placementOf(container, {}).warnings.map(({ id }) => id)).toEqual(['container.privileged']);
});

it('the user who runs Petasos owns what commands make in a mount', async () => {
  const sandbox = await openDocker({ runAsHostUser: true, extraHosts: ['db:10.1.2.3'], tmpMiB: 64, dns: ['10.9.9.9'] });
  const { stdout } = await sandbox.exec('id -u; id -g; df -m /tmp | tail -n 1; grep db /etc/hosts; cat /etc/resolv.conf');
  expect(stdout).toMatch(new RegExp(`^${process.getuid?.()}\n${process.getgid?.()}\ntmpfs +64 .*\n10.1.2.3\tdb\n`));
  expect(stdout).toContain('10.9.9.9');
  expect((await inspect(sandbox)).Config.User).toBe(`${process.getuid?.()}:${process.getgid?.()}`);
});
