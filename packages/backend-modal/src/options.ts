import * as v from 'valibot';

const text = v.pipe(v.string(), v.nonEmpty());
const whole = (what: string) => v.pipe(v.number(), v.integer(), v.minValue(0, `${what} must not be negative`));
const port = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535));

export const optionsSchema = v.optional(
  v.strictObject({
    /** Image from a registry; default: `debian:12-slim`. It needs a POSIX shell at `/bin/sh`. */
    image: v.optional(text),
    /** Physical cores, reserved and at most; one of them is two virtual ones. 0 or left out: Modal's own default, without a limit. */
    cpus: v.optional(v.pipe(v.number(), v.minValue(0, 'cpus must not be negative'))),
    /** Memory in MiB, reserved and at most. 0 or left out: Modal's own default, without a limit. */
    memoryMiB: v.optional(whole('memoryMiB')),
    /** Only 0, for configurations that name it for every container: Modal's SDK cannot set the size of the disk. */
    diskMiB: v.optional(v.literal(0, 'Modal’s SDK cannot limit the disk: leave diskMiB out, or set 0')),
    /** Kind and number, such as `T4` or `A100:2`. Such a sandbox is one of Modal's first version. */
    gpu: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]+(:[1-9]\d*)?$/, 'gpu must be a kind, or kind:number'))),
    /** Where it runs, such as `eu` or `us-east`; Modal charges more for a choice. */
    region: v.optional(text),
    /** Volumes, each `name:/path` or `name:/path:ro`; one that does not exist is made. */
    volumes: v.optional(
      v.array(v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]+:\/[^:]*(:ro|:rw)?$/, 'a volume is name:/path or name:/path:ro'))),
    ),
    /** `open` (the default), `none`, or what commands may reach: domains match TLS on port 443 alone. */
    network: v.optional(
      v.union([v.picklist(['open', 'none']), v.strictObject({ domains: v.optional(v.array(text)), cidrs: v.optional(v.array(text)) })]),
    ),
    /** Ports with a public URL of their own. Any other port is forwarded too, privately. */
    ports: v.optional(v.array(port)),
    /** Files survive the end of the sandbox, in a snapshot that Modal takes then; default true. */
    persistent: v.optional(v.boolean()),
    /** Milliseconds that a snapshot may take; default 15 minutes. */
    snapshotTimeoutMs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1000))),
    /** Days after which Modal deletes a snapshot that was asked for; default 30, null is never. */
    snapshotDays: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1)))),
    /** Modal app that the sandboxes belong to; names are unique in it. Default: `petasos`. */
    app: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,64}$/, 'app must be letters, digits, ".", "_" and "-", at most 64'))),
    /** Modal environment; default: that of the credentials. */
    environment: v.optional(text),
    /** Section of Modal's own configuration file; default: the active one. */
    profile: v.optional(text),
    tokenId: v.optional(text),
    tokenSecret: v.optional(text),
    /** Another address of Modal's API. */
    serverUrl: v.optional(v.pipe(v.string(), v.url())),
  }),
  {},
);

export type ModalOptions = v.InferOutput<typeof optionsSchema>;

export const defaultImage = 'debian:12-slim';
export const defaultApp = 'petasos';

/** Milliseconds that Modal lets a sandbox live at most. */
export const longestLifeMs = 24 * 3_600_000;
