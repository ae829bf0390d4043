import * as v from 'valibot';
import { parseSize } from './container/size.js';
import { withExtraArgs } from './extra-args.js';

const absolute = v.pipe(v.string(), v.regex(/^\//, 'must be an absolute path inside the container'));
const positive = v.pipe(v.number(), v.minValue(Number.MIN_VALUE, 'must be more than 0'));
const count = v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(1, 'must be 1 or more'));
const variable = v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is no name of a variable'));
const size = v.pipe(
  v.union([v.string(), v.number()]),
  v.check((value) => /^0?$/.test(String(value)) || parseSize(value) !== undefined, 'must be a size such as 64m or 1g'),
);

export const defaultImage = 'nikolaik/python-nodejs:python3.11-nodejs20';

const given = v.strictObject({
  /** Image of the container; default {@link defaultImage}. */
  image: v.optional(v.pipe(v.string(), v.nonEmpty('must name an image'))),
  /** Platform of the image, such as `linux/arm64`. */
  platform: v.optional(v.string()),
  /** When the image is fetched; default `missing`. */
  pull: v.optional(v.picklist(['missing', 'always', 'never'])),
  /** Address of the engine; default: what docker itself would use. */
  host: v.optional(v.string()),
  /** A context of `docker context`. */
  context: v.optional(v.string()),
  /** Directory where commands start; default: the image's, else root's home or `/workspace`. */
  workdir: v.optional(absolute),
  /** User, `name` or `uid[:gid]`; default: the image's. */
  user: v.optional(v.pipe(v.string(), v.nonEmpty('must name a user'))),
  /** Run as the user and group who run Petasos. */
  runAsHostUser: v.optional(v.boolean()),
  /** Variables of every command. They reach no argument list and no `docker inspect`. */
  env: v.optional(v.record(variable, v.string())),
  /** Names of variables that every command gets from the environment of Petasos, credentials included. */
  forwardEnv: v.optional(v.array(variable)),
  cpus: v.optional(positive),
  memoryMiB: v.optional(v.pipe(positive, v.minValue(6, 'must be 6 or more'))),
  /** Size of the container's own layer, where the engine's storage can limit it; elsewhere a warning says that it cannot. */
  diskMiB: v.optional(positive),
  /** Processes at once; default 1024. */
  pids: v.optional(count),
  /** Keep the files when the sandbox has been idle for too long: it is then stopped and not removed. Default true, with `readOnly` false. */
  persistent: v.optional(v.boolean()),
  /** Mounts, each `host:container[:ro]` or `volume:container[:ro]`. */
  volumes: v.optional(v.array(v.string())),
  /** Mount the current directory of Petasos at `/workspace`, and start there. */
  mountCwdToWorkspace: v.optional(v.boolean()),
  /** Further directories in memory: path and mount options, such as `{ '/scratch': 'size=64m' }`. */
  tmpfs: v.optional(v.record(absolute, v.string())),
  /** Size of `/tmp`, which is in memory; default 512. */
  tmpMiB: v.optional(count),
  /** `true` or `open`: the engine's default network. `false` or `none`: none. Otherwise the name of a network. */
  network: v.optional(v.union([v.boolean(), v.pipe(v.string(), v.nonEmpty('must name a network'))])),
  /** Further lines of `/etc/hosts`, each `name:address`; the address `host-gateway` is the machine of the engine. */
  extraHosts: v.optional(v.array(v.pipe(v.string(), v.regex(/^[^:]+:.+/, 'must be name:address')))),
  /** Name servers instead of the engine's. */
  dns: v.optional(v.array(v.string())),
  /** The program that runs containers, such as gVisor's `runsc`, where the engine has it. */
  runtime: v.optional(v.string()),
  /** Size of `/dev/shm`, such as `1g`; empty or 0: the engine's own. */
  shmSize: v.optional(size),
  /** `all`, or how many GPUs. */
  gpus: v.optional(v.union([v.literal('all'), count])),
  /** The container's own file system cannot be written; `/tmp`, `/run`, `/workspace` and root's home are in memory, and are not kept. */
  readOnly: v.optional(v.boolean()),
  /** Capabilities besides the few that package managers need. Loosens the isolation. */
  capAdd: v.optional(v.array(v.string())),
  /** Let programs such as sudo gain privileges. Loosens the isolation. */
  allowNewPrivileges: v.optional(v.boolean()),
  /** No isolation worth the name. */
  privileged: v.optional(v.boolean()),
  /** Work with the snap package of Docker: no init process, and programs may gain privileges. */
  snapCompat: v.optional(v.boolean()),
  /** Arguments of `docker run`; those that have no option here are refused. */
  extraArgs: v.optional(v.array(v.string())),
});

/** The options once the arguments of `docker run` among them have become options, too. */
export type DockerOptions = Omit<v.InferOutput<typeof given>, 'extraArgs'>;

export const optionsSchema = v.optional(
  v.pipe(
    given,
    v.rawTransform(({ dataset, addIssue, NEVER }): DockerOptions => {
      const { extraArgs = [], ...options } = dataset.value;
      try {
        return withExtraArgs(options, extraArgs);
      } catch (error) {
        addIssue({ message: `extraArgs: ${error instanceof Error ? error.message : String(error)}` });
        return NEVER;
      }
    }),
  ),
  {},
);
