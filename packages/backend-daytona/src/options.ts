import * as v from 'valibot';

const text = v.pipe(v.string(), v.minLength(1));
const size = v.pipe(v.number(), v.minValue(0));
const minutes = v.pipe(v.number(), v.integer(), v.minValue(0));

export const optionsSchema = v.optional(
  v.strictObject({
    apiKey: v.optional(v.pipe(text, v.description('API key; default: DAYTONA_API_KEY, then the profile of Daytona’s own CLI'))),
    apiUrl: v.optional(
      v.pipe(
        v.string(),
        v.url('apiUrl must be a URL'),
        v.description('address of the API; default: the profile’s with its key, DAYTONA_API_URL, https://app.daytona.io/api'),
      ),
    ),
    region: v.optional(v.pipe(text, v.description('region, such as us or eu; default: DAYTONA_TARGET, then us'))),
    image: v.optional(v.pipe(text, v.description('image to build the sandbox from; default: the organisation’s default snapshot'))),
    user: v.optional(v.pipe(text, v.description('user that commands run as; default: the image’s'))),
    cpus: v.optional(v.pipe(size, v.description('virtual CPUs, whole ones, only with an image; 0: Daytona’s default'))),
    memoryMiB: v.optional(v.pipe(size, v.description('memory in MiB, rounded up to whole GiB, only with an image; 0: Daytona’s default'))),
    diskMiB: v.optional(
      v.pipe(size, v.description('disk in MiB, rounded up to whole GiB, at most 10 GiB, only with an image; 0: Daytona’s default')),
    ),
    persistent: v.optional(v.pipe(v.boolean(), v.description('files outlive a stop; default yes')), true),
    volumes: v.optional(
      v.pipe(
        v.array(v.pipe(v.string(), v.regex(/^[^:]+:\/[^:]*$/, 'a volume is written name:/path'))),
        v.description('volumes, each name:/path, made when they do not exist'),
      ),
      [],
    ),
    network: v.optional(
      v.pipe(
        v.union([
          v.picklist(['open', 'none']),
          v.strictObject({
            allow: v.pipe(v.array(v.string()), v.minLength(1), v.description('address ranges and domains that commands may reach')),
          }),
        ]),
        v.description('open, none, or an allowlist; default open'),
      ),
      'open',
    ),
    autoStopMinutes: v.optional(
      v.pipe(minutes, v.description('minutes without a request after which Daytona stops the sandbox; 0: never; default: the idle limit')),
    ),
    autoArchiveMinutes: v.optional(
      v.pipe(minutes, v.description('minutes after its stop until it moves to cheaper storage; 0: 30 days; default: 7 days')),
    ),
  }),
  {},
);

export type DaytonaOptions = v.InferOutput<typeof optionsSchema>;
