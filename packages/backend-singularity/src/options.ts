import * as v from 'valibot';
import { slurmSchema } from './slurm/options.js';

const text = v.pipe(v.string(), v.nonEmpty());
const absolute = (name: string) => v.pipe(v.string(), v.regex(/^\//, `${name} must be an absolute path`));
/** What the container program makes at the least. */
const smallestOverlayMiB = 64;
const amount = v.pipe(v.number(), v.minValue(0));

/** `source:target[:ro]`; both sides absolute, the source may start with `~/`. */
const bind = v.pipe(v.string(), v.regex(/^(?:~\/|\/)[^:,]*(?::\/[^:,]*(?::r[ow])?)?$/, 'a bind is /source:/target[:ro]'));

const optionEntries = v.strictObject({
  image: v.pipe(
    v.string(),
    v.regex(/^[^-\0\n][^\0\n]*$/, 'image is a path or an address'),
    v.description('a SIF file, a directory with a root file system, or an address: docker://, oras://, library://, docker-archive:FILE'),
  ),
  workdir: v.optional(v.pipe(absolute('workdir'), v.description('directory where commands start; default: the home directory inside'))),
  binds: v.optional(v.pipe(v.array(bind), v.description('directories of the machine that commands see, each source:target[:ro]')), []),
  containall: v.optional(
    v.pipe(
      v.boolean(),
      v.description('nothing of the machine but binds and what the site binds; no: as apptainer exec alone, with what the site shares'),
    ),
    true,
  ),
  home: v.optional(
    v.pipe(v.boolean(), v.description('the user’s home directory on the machine is the home directory inside; default no')),
    false,
  ),
  persistent: v.optional(
    v.pipe(v.boolean(), v.description('keep changes on disk until the sandbox is destroyed; no: in memory, while it runs; default yes')),
    true,
  ),
  overlayMiB: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.check((size) => size === 0 || size >= smallestOverlayMiB, `overlayMiB is 0 or at least ${smallestOverlayMiB}`),
      v.description('size in MiB of what keeps changes, a file system in a file; 0: a directory without a bound'),
    ),
    0,
  ),
  cpus: v.optional(v.pipe(amount, v.description('CPUs at most, where cgroups v2 are delegated to the user; 0: no limit')), 0),
  memoryMiB: v.optional(
    v.pipe(amount, v.description('memory at most, in MiB, where cgroups v2 are delegated to the user; 0: no limit')),
    0,
  ),
  pids: v.optional(v.pipe(amount, v.description('processes at most, where cgroups v2 are delegated to the user; 0: no limit')), 0),
  diskMiB: v.optional(
    v.pipe(
      amount,
      v.description(
        'in MiB, for configurations that name it: in force in no container of this kind, where overlayMiB is the bound; 0: no limit',
      ),
    ),
    0,
  ),
  slurm: v.optional(v.pipe(slurmSchema, v.description('run on a node that SLURM gives, and what to ask SLURM for'))),
  network: v.optional(v.pipe(v.picklist(['open', 'none']), v.description('open: the machine’s network; default open')), 'open'),
  gpu: v.optional(
    v.pipe(v.picklist(['none', 'nvidia', 'rocm']), v.description('bring the machine’s graphics cards along; default none')),
    'none',
  ),
  program: v.optional(
    v.pipe(absolute('program'), v.description('path of apptainer or singularity on the machine; default: whichever PATH has')),
  ),
  ssh: v.optional(
    v.pipe(
      v.strictObject({
        host: v.optional(
          v.pipe(
            v.string(),
            v.regex(/^[^-\s@][^\s@]*$/, 'host must be a host name, an address or an alias'),
            v.description('host name, address or alias of the ssh configuration'),
          ),
        ),
        user: v.optional(v.pipe(text, v.description('user to log in as; default: the ssh configuration’s'))),
        port: v.optional(
          v.pipe(
            v.number(),
            v.integer(),
            v.minValue(1),
            v.maxValue(65_535),
            v.description('port of the server; default: the ssh configuration’s, else 22'),
          ),
        ),
        key: v.optional(v.pipe(text, v.description('private key file that is tried first'))),
        agent: v.optional(v.pipe(v.union([text, v.literal(false)]), v.description('socket of an agent; false: none is asked'))),
        configFile: v.optional(
          v.pipe(v.union([text, v.literal(false)]), v.description('file to read instead of the ssh configuration; false: none')),
        ),
        knownHosts: v.optional(v.pipe(v.array(text), v.description('files with known host keys; new ones go to the first'))),
        hostKeys: v.optional(
          v.pipe(
            v.picklist(['accept-new', 'strict', 'off']),
            v.description('accept-new: remember a new host’s key; strict: known hosts only; off: any new host'),
          ),
        ),
      }),
      v.description('the machine, when it is another one, as the ssh backend’s options say; needs @petasos/backend-ssh'),
    ),
  ),
  launcher: v.optional(
    v.pipe(v.array(v.string()), v.description('words in front of every command line on the machine, such as sudo, -u, agent, --')),
    [],
  ),
  stateDirectory: v.optional(
    v.pipe(
      absolute('stateDirectory'),
      v.description('directory of records, files and overlays on the machine; default: $XDG_STATE_HOME/petasos/singularity'),
    ),
  ),
});

export const optionsSchema = v.pipe(
  optionEntries,
  v.forward(
    v.check(({ persistent, overlayMiB }) => persistent || overlayMiB === 0, 'an overlay of a size needs persistent: true'),
    ['overlayMiB'],
  ),
);

export type SingularityOptions = v.InferOutput<typeof optionsSchema>;
