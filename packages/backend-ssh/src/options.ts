import * as v from 'valibot';

const text = v.pipe(v.string(), v.nonEmpty());
const duration = v.pipe(v.number(), v.integer(), v.minValue(1));

export const optionsSchema = v.optional(
  v.strictObject({
    host: v.optional(
      v.pipe(
        text,
        v.regex(/^[^-\s@][^\s@]*$/, 'host must be a host name, an address or an alias'),
        v.description('host name, address or alias of the ssh configuration; default: TERMINAL_SSH_HOST'),
      ),
    ),
    user: v.optional(
      v.pipe(text, v.description('user to log in as; default: TERMINAL_SSH_USER, else the ssh configuration, else your own name')),
    ),
    port: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(65_535),
        v.description('port of the server; default: TERMINAL_SSH_PORT, else the ssh configuration, else 22'),
      ),
    ),
    key: v.optional(v.pipe(text, v.description('private key file that is tried first; default: TERMINAL_SSH_KEY'))),
    agent: v.optional(
      v.pipe(v.union([text, v.literal(false)]), v.description('socket of an agent; false: none is asked; default: SSH_AUTH_SOCK')),
    ),
    configFile: v.optional(
      v.pipe(
        v.union([text, v.literal(false)]),
        v.description('file to read instead of ~/.ssh/config and /etc/ssh/ssh_config; false: none'),
      ),
    ),
    knownHosts: v.optional(v.pipe(v.array(text), v.minLength(1), v.description('files with known host keys; new ones go to the first'))),
    hostKeys: v.optional(
      v.pipe(
        v.picklist(['accept-new', 'strict', 'off']),
        v.description(
          'accept-new: remember a new host’s key; strict: known hosts only; off: any new host. A changed key is always refused',
        ),
      ),
    ),
    workdir: v.optional(
      v.pipe(text, v.description('directory where commands start: absolute, ~/… or below the home directory, which is the default')),
    ),
    connectTimeoutMs: v.optional(
      v.pipe(duration, v.description('milliseconds in which the server must answer; default: ConnectTimeout, else 20 000')),
    ),
    keepaliveMs: v.optional(
      v.pipe(
        duration,
        v.description('milliseconds of silence before the server is asked whether it is there; default: ServerAliveInterval, else 15 000'),
      ),
    ),
  }),
  {},
);

export type SshOptions = v.InferOutput<typeof optionsSchema>;
