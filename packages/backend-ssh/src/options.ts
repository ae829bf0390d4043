import * as v from 'valibot';

const duration = v.pipe(v.number(), v.integer(), v.minValue(1));

export const optionsSchema = v.optional(
  v.strictObject({
    /** Host name, address or an alias of the ssh configuration; default `TERMINAL_SSH_HOST`. */
    host: v.optional(v.pipe(v.string(), v.nonEmpty(), v.regex(/^[^-\s@][^\s@]*$/, 'host must be a host name, an address or an alias'))),
    /** Default `TERMINAL_SSH_USER`, else what the ssh configuration says. */
    user: v.optional(v.pipe(v.string(), v.nonEmpty())),
    /** Default `TERMINAL_SSH_PORT`, else what the ssh configuration says. */
    port: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))),
    /** Private key file that is tried first; default `TERMINAL_SSH_KEY`. */
    key: v.optional(v.pipe(v.string(), v.nonEmpty())),
    /** Socket of an agent; false: none is asked. */
    agent: v.optional(v.union([v.pipe(v.string(), v.nonEmpty()), v.literal(false)])),
    /** File to read instead of `~/.ssh/config` and `/etc/ssh/ssh_config`; false: none. */
    configFile: v.optional(v.union([v.pipe(v.string(), v.nonEmpty()), v.literal(false)])),
    /** Files with known host keys; new ones go to the first. */
    knownHosts: v.optional(v.pipe(v.array(v.pipe(v.string(), v.nonEmpty())), v.minLength(1))),
    /** `accept-new`: remember the key of a new host; `strict`: only known hosts; `off`: any new host. A changed key is always refused. */
    hostKeys: v.optional(v.picklist(['accept-new', 'strict', 'off'])),
    /** Directory where commands start: absolute, `~/…` or relative to the home directory there; default: that home directory. */
    workdir: v.optional(v.pipe(v.string(), v.nonEmpty())),
    connectTimeoutMs: v.optional(duration),
    keepaliveMs: v.optional(duration),
  }),
  {},
);

export type SshOptions = v.InferOutput<typeof optionsSchema>;
