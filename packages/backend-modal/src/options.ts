import * as v from 'valibot';

const text = v.pipe(v.string(), v.nonEmpty());
const whole = (what: string) => v.pipe(v.number(), v.integer(), v.minValue(0, `${what} must not be negative`));
const port = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535));

export const optionsSchema = v.optional(
  v.strictObject({
    image: v.optional(v.pipe(text, v.description('image from a registry, with a shell at /bin/sh; default debian:12-slim'))),
    cpus: v.optional(
      v.pipe(
        v.number(),
        v.minValue(0, 'cpus must not be negative'),
        v.description('physical cores (each two virtual ones), reserved and at most; 0: Modal’s default, without a limit'),
      ),
    ),
    memoryMiB: v.optional(
      v.pipe(whole('memoryMiB'), v.description('memory in MiB, reserved and at most; 0: Modal’s default, without a limit')),
    ),
    diskMiB: v.optional(
      v.pipe(
        v.literal(0, 'Modal’s SDK cannot limit the disk: leave diskMiB out, or set 0'),
        v.description('only 0, for configurations that name it: Modal’s SDK cannot limit the disk'),
      ),
    ),
    gpu: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^[A-Za-z0-9-]+(:[1-9]\d*)?$/, 'gpu must be a kind, or kind:number'),
        v.description('kind and number of GPUs, such as T4 or A100:2; the sandbox is then one of Modal’s first version'),
      ),
    ),
    region: v.optional(v.pipe(text, v.description('where it runs, such as eu or us-east; Modal charges more for a choice'))),
    volumes: v.optional(
      v.pipe(
        v.array(v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]+:\/[^:]*(:ro|:rw)?$/, 'a volume is name:/path or name:/path:ro'))),
        v.description('volumes, each name:/path or name:/path:ro, made when they do not exist'),
      ),
    ),
    network: v.optional(
      v.pipe(
        v.union([
          v.picklist(['open', 'none']),
          v.strictObject({
            domains: v.optional(v.pipe(v.array(text), v.description('domains that commands may reach, over TLS on port 443 alone'))),
            cidrs: v.optional(v.pipe(v.array(text), v.description('address ranges that commands may reach'))),
          }),
        ]),
        v.description('open, none, or an allowlist; default open'),
      ),
    ),
    ports: v.optional(
      v.pipe(v.array(port), v.description('ports with a public URL of their own; any other port is forwarded too, privately')),
    ),
    persistent: v.optional(
      v.pipe(v.boolean(), v.description('files survive the end of the sandbox, in a snapshot that Modal takes then; default yes')),
    ),
    snapshotTimeoutMs: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1000),
        v.description('milliseconds that a snapshot may take; default 900 000 (15 minutes)'),
      ),
    ),
    snapshotDays: v.optional(
      v.pipe(
        v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1))),
        v.description('days after which Modal deletes a snapshot that was asked for; null: never; default 30'),
      ),
    ),
    app: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^[A-Za-z0-9._-]{1,64}$/, 'app must be letters, digits, ".", "_" and "-", at most 64'),
        v.description('Modal app that the sandboxes belong to, in which names are unique; default petasos'),
      ),
    ),
    environment: v.optional(v.pipe(text, v.description('Modal environment; default: that of the credentials'))),
    profile: v.optional(v.pipe(text, v.description('section of Modal’s own configuration file; default: the active one'))),
    tokenId: v.optional(v.pipe(text, v.description('id of the token; default: MODAL_TOKEN_ID, then Modal’s own configuration file'))),
    tokenSecret: v.optional(
      v.pipe(text, v.description('secret of the token; default: MODAL_TOKEN_SECRET, then Modal’s own configuration file')),
    ),
    serverUrl: v.optional(
      v.pipe(v.string(), v.url(), v.description('another address of Modal’s API; default: MODAL_SERVER_URL, then Modal’s')),
    ),
  }),
  {},
);

export type ModalOptions = v.InferOutput<typeof optionsSchema>;

export const defaultImage = 'debian:12-slim';
export const defaultApp = 'petasos';

/** Milliseconds that Modal lets a sandbox live at most. */
export const longestLifeMs = 24 * 3_600_000;
