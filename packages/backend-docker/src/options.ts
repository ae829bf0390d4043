import * as v from 'valibot';
import { parseSize } from './container/size.js';
import { withExtraArgs } from './extra-args.js';

const text = v.string();
const absolute = v.pipe(text, v.regex(/^\//, 'must be an absolute path inside the container'));
const positive = v.pipe(v.number(), v.minValue(Number.MIN_VALUE, 'must be more than 0'));
const count = v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(1, 'must be 1 or more'));
const variable = v.pipe(text, v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is no name of a variable'));
const size = v.pipe(
  v.union([text, v.number()]),
  v.check((value) => /^0?$/.test(String(value)) || parseSize(value) !== undefined, 'must be a size such as 64m or 1g'),
);

export const defaultImage = 'nikolaik/python-nodejs:python3.11-nodejs20';

const given = v.strictObject({
  image: v.optional(v.pipe(text, v.nonEmpty('must name an image'), v.description(`image of the container; default ${defaultImage}`))),
  platform: v.optional(v.pipe(text, v.description('platform of the image, such as linux/arm64; default: the engine’s'))),
  pull: v.optional(v.pipe(v.picklist(['missing', 'always', 'never']), v.description('when the image is fetched; default missing'))),
  host: v.optional(v.pipe(text, v.description('address of the engine, such as unix:///run/docker.sock; default: docker’s own'))),
  context: v.optional(v.pipe(text, v.description('context of docker that names the engine; default: docker’s own'))),
  workdir: v.optional(
    v.pipe(absolute, v.description('directory where commands start; default: the image’s, else root’s home or /workspace')),
  ),
  user: v.optional(
    v.pipe(text, v.nonEmpty('must name a user'), v.description('user that commands run as, name or uid[:gid]; default: the image’s')),
  ),
  runAsHostUser: v.optional(v.pipe(v.boolean(), v.description('run as the user and group who run Petasos; default no'))),
  env: v.optional(
    v.pipe(v.record(variable, text), v.description('variables of every command; in no argument list and in no docker inspect')),
  ),
  forwardEnv: v.optional(
    v.pipe(v.array(variable), v.description('names of variables that commands get from your environment, credentials included')),
  ),
  cpus: v.optional(v.pipe(positive, v.description('CPUs at most, such as 1.5; default: no limit'))),
  memoryMiB: v.optional(v.pipe(positive, v.minValue(6, 'must be 6 or more'), v.description('memory at most, in MiB; default: no limit'))),
  diskMiB: v.optional(
    v.pipe(positive, v.description('size of the container’s layer in MiB, where the engine’s storage can limit it; default: no limit')),
  ),
  pids: v.optional(v.pipe(count, v.description('processes at once; default 1024'))),
  persistent: v.optional(
    v.pipe(v.boolean(), v.description('keep the files of an idle sandbox: it is stopped, not removed; default yes, with readOnly no')),
  ),
  volumes: v.optional(v.pipe(v.array(text), v.description('mounts, each host:container[:ro] or volume:container[:ro]'))),
  mountCwdToWorkspace: v.optional(
    v.pipe(v.boolean(), v.description('mount your current directory at /workspace, and start there; default no')),
  ),
  tmpfs: v.optional(
    v.pipe(v.record(absolute, text), v.description('further directories in memory: path and mount options, such as size=64m')),
  ),
  tmpMiB: v.optional(v.pipe(count, v.description('size of /tmp, which is in memory, in MiB; default 512'))),
  network: v.optional(
    v.pipe(
      v.union([v.boolean(), v.pipe(text, v.nonEmpty('must name a network'))]),
      v.description('true or open: the engine’s default network; false or none: none; else a network’s name; default true'),
    ),
  ),
  extraHosts: v.optional(
    v.pipe(
      v.array(v.pipe(text, v.regex(/^[^:]+:.+/, 'must be name:address'))),
      v.description('lines of /etc/hosts, each name:address; the address host-gateway is the engine’s machine'),
    ),
  ),
  dns: v.optional(v.pipe(v.array(text), v.description('name servers instead of the engine’s'))),
  runtime: v.optional(v.pipe(text, v.description('program that runs containers, such as gVisor’s runsc; default: the engine’s'))),
  shmSize: v.optional(v.pipe(size, v.description('size of /dev/shm, such as 1g; empty or 0: the engine’s default'))),
  gpus: v.optional(v.pipe(v.union([v.literal('all'), count]), v.description('all, or how many GPUs; default: none'))),
  readOnly: v.optional(
    v.pipe(
      v.boolean(),
      v.description('nothing can be written but /tmp, /run, /workspace and root’s home, all in memory and not kept; default no'),
    ),
  ),
  capAdd: v.optional(
    v.pipe(v.array(text), v.description('capabilities besides the few that package managers need; loosens the isolation')),
  ),
  allowNewPrivileges: v.optional(
    v.pipe(v.boolean(), v.description('let programs such as sudo gain privileges; loosens the isolation; default no')),
  ),
  privileged: v.optional(v.pipe(v.boolean(), v.description('all privileges: no isolation worth the name; default no'))),
  snapCompat: v.optional(
    v.pipe(v.boolean(), v.description('work with Docker’s snap package: no init process, programs may gain privileges; default no')),
  ),
  extraArgs: v.optional(v.pipe(v.array(text), v.description('arguments of docker run; those that no option stands for are refused'))),
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
