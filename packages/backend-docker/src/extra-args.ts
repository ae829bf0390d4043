import { parseSize } from './container/size.js';
import type { DockerOptions } from './options.js';

type Merge = (options: DockerOptions, value: string, flag: string) => DockerOptions;

const appended =
  (name: 'extraHosts' | 'capAdd' | 'volumes' | 'dns'): Merge =>
  (options, value) => ({ ...options, [name]: [...(options[name] ?? []), value] });

const text =
  (name: 'user' | 'workdir' | 'platform' | 'network' | 'runtime' | 'shmSize'): Merge =>
  (options, value) => ({ ...options, [name]: value });

const numeric =
  (name: 'cpus' | 'pids'): Merge =>
  (options, value, flag) => {
    const number = Number(value);
    if (value.trim() === '' || !(number > 0)) throw refuse(`${flag} ${value}: must be a number above 0`);
    return { ...options, [name]: number };
  };

const switches: Readonly<Record<string, (options: DockerOptions) => DockerOptions>> = {
  '--privileged': (options) => ({ ...options, privileged: true }),
  '--read-only': (options) => ({ ...options, readOnly: true }),
  // The container has an init process and is detached by itself; it is removed as its sandbox is.
  '--init': (options) => options,
  '--detach': (options) => options,
  '-d': (options) => options,
};

const valued: Readonly<Record<string, Merge>> = {
  '--add-host': appended('extraHosts'),
  '--cap-add': appended('capAdd'),
  '--volume': appended('volumes'),
  '-v': appended('volumes'),
  '--dns': appended('dns'),
  '--user': text('user'),
  '-u': text('user'),
  '--workdir': text('workdir'),
  '-w': text('workdir'),
  '--platform': text('platform'),
  '--network': text('network'),
  '--net': text('network'),
  '--runtime': text('runtime'),
  '--shm-size': text('shmSize'),
  '--cpus': numeric('cpus'),
  '--pids-limit': numeric('pids'),
  '--memory': memory,
  '-m': memory,
  '--gpus': gpus,
  '--tmpfs': (options, value) => {
    const colon = value.indexOf(':');
    const [path, mode] = colon === -1 ? [value, ''] : [value.slice(0, colon), value.slice(colon + 1)];
    return { ...options, tmpfs: { ...options.tmpfs, [path]: mode } };
  },
  '--security-opt': (options, value, flag) => {
    if (/^no-new-privileges([:=]true)?$/.test(value)) return options;
    if (/^no-new-privileges[:=]false$/.test(value)) return { ...options, allowNewPrivileges: true };
    throw refuse(`${flag} ${value} is not supported`);
  },
};

/**
 * Reads arguments of `docker run` as options: this package speaks to the engine without that program. They win over options of the
 * same meaning, as later arguments do.
 * @throws Error saying which argument nothing here stands for.
 */
export function withExtraArgs(options: DockerOptions, extraArgs: readonly string[]): DockerOptions {
  let merged = options;
  const args = [...extraArgs];
  for (let arg = args.shift(); arg !== undefined; arg = args.shift()) {
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
    const flag = equals === -1 ? arg : arg.slice(0, equals);
    const toggle = switches[flag];
    const merge = valued[flag];
    if (toggle !== undefined && (equals === -1 || arg.slice(equals + 1) === 'true')) merged = toggle(merged);
    else if (merge !== undefined) {
      const value = equals === -1 ? args.shift() : arg.slice(equals + 1);
      if (value === undefined) throw refuse(`${flag} needs a value`);
      merged = merge(merged, value, flag);
    } else if (flag === '-e' || flag === '--env') throw refuse(`${flag}: use the option env, whose values nobody can inspect`);
    else throw refuse(`${flag} is not supported`);
  }
  return merged;
}

function memory(options: DockerOptions, value: string, flag: string): DockerOptions {
  const bytes = parseSize(value);
  if (bytes === undefined) throw refuse(`${flag} ${value}: must be a size such as 512m`);
  return { ...options, memoryMiB: bytes / 1024 ** 2 };
}

function gpus(options: DockerOptions, value: string, flag: string): DockerOptions {
  if (value === 'all') return { ...options, gpus: 'all' };
  if (/^[1-9]\d*$/.test(value)) return { ...options, gpus: Number(value) };
  throw refuse(`${flag} ${value}: must be all or a number`);
}

function refuse(problem: string): Error {
  const known = [...Object.keys(valued), ...Object.keys(switches)].filter((flag) => flag.startsWith('--'));
  return new Error(`${problem}; understood are ${known.join(', ')}`);
}
