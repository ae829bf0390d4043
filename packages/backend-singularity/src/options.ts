import * as v from 'valibot';
import { slurmSchema } from './slurm/options.js';

const absolute = (name: string) => v.pipe(v.string(), v.regex(/^\//, `${name} must be an absolute path`));
const amount = v.pipe(v.number(), v.minValue(0));

/** `source:target[:ro]`; both sides absolute, the source may start with `~/`. */
const bind = v.pipe(v.string(), v.regex(/^(?:~\/|\/)[^:,]*(?::\/[^:,]*(?::r[ow])?)?$/, 'a bind is /source:/target[:ro]'));

export const optionsSchema = v.strictObject({
  /** A SIF file, a directory with a root file system, or an address: `docker://`, `oras://`, `library://`, `docker-archive:FILE`. */
  image: v.pipe(v.string(), v.regex(/^[^-\0\n][^\0\n]*$/, 'image is a path or an address')),
  /** Directory where commands start; default: the home directory inside. */
  workdir: v.optional(absolute('workdir')),
  /** Directories of the machine that commands see, each `source:target[:ro]`. */
  binds: v.optional(v.array(bind), []),
  /** Nothing of the machine but what is bound here and by the site. Off: as `apptainer exec` alone, with what the site shares. */
  containall: v.optional(v.boolean(), true),
  /** Whether the user's home directory on the machine is the home directory inside. */
  home: v.optional(v.boolean(), false),
  /** Whether changes are kept on disk until the sandbox is destroyed, or only in memory while it runs. */
  persistent: v.optional(v.boolean(), true),
  /** Limits that need cgroups v2 with delegation to the user. 0: no limit. */
  cpus: v.optional(amount, 0),
  memoryMiB: v.optional(amount, 0),
  pids: v.optional(amount, 0),
  /** Known from other places of containers, and in force in none of this kind. 0: no limit. */
  diskMiB: v.optional(amount, 0),
  /** A node that SLURM gives: the container runs there. */
  slurm: v.optional(slurmSchema),
  network: v.optional(v.picklist(['open', 'none']), 'open'),
  /** Bring the machine's graphics cards along. */
  gpu: v.optional(v.picklist(['none', 'nvidia', 'rocm']), 'none'),
  /** Path of `apptainer` or `singularity`; default: whichever PATH has. */
  program: v.optional(absolute('program')),
  /** The machine is another one, reached as the ssh backend's options of these names say; needs `@petasos/backend-ssh`. */
  ssh: v.optional(
    v.strictObject({
      host: v.optional(v.pipe(v.string(), v.regex(/^[^-\s@][^\s@]*$/, 'host must be a host name, an address or an alias'))),
      user: v.optional(v.pipe(v.string(), v.nonEmpty())),
      port: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))),
      key: v.optional(v.pipe(v.string(), v.nonEmpty())),
      agent: v.optional(v.union([v.pipe(v.string(), v.nonEmpty()), v.literal(false)])),
      configFile: v.optional(v.union([v.pipe(v.string(), v.nonEmpty()), v.literal(false)])),
      knownHosts: v.optional(v.array(v.pipe(v.string(), v.nonEmpty()))),
      hostKeys: v.optional(v.picklist(['accept-new', 'strict', 'off'])),
    }),
  ),
  /** Words in front of every command line on the machine, such as `["sudo", "-u", "agent", "--"]`. */
  launcher: v.optional(v.array(v.string()), []),
  /** Directory of the sandboxes' records, files and overlays, on the machine; default `$XDG_STATE_HOME/petasos/singularity`. */
  stateDirectory: v.optional(absolute('stateDirectory')),
});

export type SingularityOptions = v.InferOutput<typeof optionsSchema>;
