import * as v from 'valibot';

const minutes = v.pipe(v.number(), v.integer(), v.minValue(0));

export const optionsSchema = v.optional(
  v.strictObject({
    /** API key; default: `DAYTONA_API_KEY`, then the profile of Daytona's own CLI. */
    apiKey: v.optional(v.pipe(v.string(), v.minLength(1))),
    /** Address of the API; default: `DAYTONA_API_URL`, then `https://app.daytona.io/api`. */
    apiUrl: v.optional(v.pipe(v.string(), v.url('apiUrl must be a URL'))),
    /** Region, such as `us` or `eu`; default: `DAYTONA_TARGET`, then `us`. */
    region: v.optional(v.pipe(v.string(), v.minLength(1))),
    /** Image to build the sandbox from; default: the organisation's default snapshot. */
    image: v.optional(v.pipe(v.string(), v.minLength(1))),
    /** User that commands run as; default: the image's. */
    user: v.optional(v.pipe(v.string(), v.minLength(1))),
    /** vCPUs, whole ones; 0: Daytona's default. Only with an image. */
    cpus: v.optional(v.pipe(v.number(), v.minValue(0))),
    /** Memory in MiB, rounded up to whole GiB; 0: Daytona's default. Only with an image. */
    memoryMiB: v.optional(v.pipe(v.number(), v.minValue(0))),
    /** Disk in MiB, rounded up to whole GiB, at most 10 GiB; 0: Daytona's default. Only with an image. */
    diskMiB: v.optional(v.pipe(v.number(), v.minValue(0))),
    /** Whether files outlive a stop; default true. */
    persistent: v.optional(v.boolean(), true),
    /** Volumes as `name:/path`, made when they do not exist. */
    volumes: v.optional(v.array(v.pipe(v.string(), v.regex(/^[^:]+:\/[^:]*$/, 'a volume is written name:/path'))), []),
    /** `open`, `none`, or what may be reached: CIDR blocks and domains. */
    network: v.optional(
      v.union([v.picklist(['open', 'none']), v.strictObject({ allow: v.pipe(v.array(v.string()), v.minLength(1)) })]),
      'open',
    ),
    /** Minutes without a request after which Daytona stops the sandbox; 0: never. Default: the idle limit. */
    autoStopMinutes: v.optional(minutes),
    /** Minutes after its stop at which a sandbox moves to cheaper storage; 0: after 30 days. Default: 7 days. */
    autoArchiveMinutes: v.optional(minutes),
  }),
  {},
);

export type DaytonaOptions = v.InferOutput<typeof optionsSchema>;
