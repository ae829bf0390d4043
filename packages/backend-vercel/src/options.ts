import * as v from 'valibot';

const text = v.pipe(v.string(), v.nonEmpty());
const whole = (what: string) =>
  v.pipe(v.number(), v.integer(`${what} must be a whole number`), v.minValue(0, `${what} must not be negative`));
const minutes = v.pipe(v.number(), v.integer(), v.minValue(1));

const memoryMiBPerVcpu = 2048;
/** What Hermes' configuration says when nobody chose a disk. */
const unchosenDiskMiB = 51_200;

export const optionsSchema = v.optional(
  v.pipe(
    v.strictObject({
      runtime: v.optional(
        v.pipe(
          v.string(),
          v.description('legacy runtime, such as node24 or python3.13, instead of an image; empty: Vercel’s default image'),
        ),
      ),
      image: v.optional(
        v.pipe(text, v.description('image in Vercel’s own registry, or vercel/sandbox/universal; no other registry works')),
      ),
      cpus: v.optional(v.pipe(whole('cpus'), v.description('virtual CPUs, each with 2048 MiB of memory; 0: Vercel’s default'))),
      memoryMiB: v.optional(v.pipe(whole('memoryMiB'), v.description('memory in MiB: as many CPUs as bring it; 0: what the CPUs bring'))),
      diskMiB: v.optional(
        v.pipe(
          v.picklist([0, unchosenDiskMiB], 'the disk of a Vercel Sandbox has one size: leave diskMiB out, or set 0'),
          v.description('only 0 and 51200, for configurations that name it: Vercel’s disk has one size'),
        ),
      ),
      persistent: v.optional(v.pipe(v.boolean(), v.description('files outlive a stop, in a snapshot that Vercel takes then; default yes'))),
      keepSnapshots: v.optional(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(1),
          v.description('snapshots of one sandbox that Vercel keeps; older ones are deleted; default 10'),
        ),
      ),
      region: v.optional(v.pipe(text, v.description('where it runs, such as iad1; default: Vercel’s'))),
      network: v.optional(
        v.pipe(
          v.union([
            v.picklist(['open', 'none']),
            v.strictObject({
              domains: v.optional(v.pipe(v.array(text), v.description('domains that commands may reach'))),
              cidrs: v.optional(v.pipe(v.array(text), v.description('address ranges that commands may reach'))),
            }),
          ]),
          v.description('open, none, or an allowlist; default open'),
        ),
      ),
      ports: v.optional(
        v.pipe(
          v.array(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))),
          v.maxLength(15),
          v.description('ports with an address of their own from the start; others follow when they are forwarded, 15 in all'),
        ),
      ),
      sessionMinutes: v.optional(
        v.pipe(
          minutes,
          v.description('minutes until Vercel stops a session, extended while it is used; default 45, which every plan allows'),
        ),
      ),
      longestSessionMinutes: v.optional(
        v.pipe(minutes, v.description('minutes to which a session may be extended; default 1440; the Hobby plan allows 45')),
      ),
      workdir: v.optional(
        v.pipe(
          v.string(),
          v.regex(/^\//, 'workdir must be an absolute path'),
          v.description('directory where commands start; default /vercel/sandbox'),
        ),
      ),
      token: v.optional(v.pipe(text, v.description('access token; default: VERCEL_TOKEN, an OIDC token, then Vercel’s own CLI'))),
      teamId: v.optional(v.pipe(text, v.description('id of the team; default: VERCEL_TEAM_ID, or where the token is from'))),
      projectId: v.optional(v.pipe(text, v.description('id of the project; default: VERCEL_PROJECT_ID, or where the token is from'))),
      apiUrl: v.optional(
        v.pipe(
          v.string(),
          v.url(),
          v.description('another address of the API, plain HTTP only to this machine; default: PETASOS_VERCEL_API_URL, then Vercel’s'),
        ),
      ),
    }),
    v.check(({ runtime, image }) => !runtime || image === undefined, 'runtime and image exclude each other'),
  ),
  {},
);

export type VercelOptions = v.InferOutput<typeof optionsSchema>;

/** Undefined: Vercel's own default. */
export function vcpusOf({ cpus = 0, memoryMiB = 0 }: VercelOptions): number | undefined {
  return Math.max(cpus, Math.ceil(memoryMiB / memoryMiBPerVcpu)) || undefined;
}
