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
      /** Legacy runtime, such as `node24` or `python3.13`; excludes `image`. Empty: Vercel's default image. */
      runtime: v.optional(v.string()),
      /** Reference in Vercel's own registry, or `vercel/sandbox/universal`; other registries do not work. */
      image: v.optional(text),
      /** Virtual processors; each brings 2048 MiB of memory. 0 or left out: Vercel's default. */
      cpus: v.optional(whole('cpus')),
      /** Memory in MiB: as many processors as bring it. 0 or left out: what the processors bring. */
      memoryMiB: v.optional(whole('memoryMiB')),
      /** Only 0 and 51200, for configurations that name it for every container: Vercel's disk has one size. */
      diskMiB: v.optional(v.picklist([0, unchosenDiskMiB], 'the disk of a Vercel Sandbox has one size: leave diskMiB out, or set 0')),
      /** Files outlive a stop, in a snapshot that Vercel takes then; default true. */
      persistent: v.optional(v.boolean()),
      /** Snapshots of one sandbox that Vercel keeps; default 10. Older ones are deleted. */
      keepSnapshots: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
      /** Where it runs, such as `iad1`. */
      region: v.optional(text),
      /** `open` (the default), `none`, or the domains and address ranges that commands may reach. */
      network: v.optional(
        v.union([v.picklist(['open', 'none']), v.strictObject({ domains: v.optional(v.array(text)), cidrs: v.optional(v.array(text)) })]),
      ),
      /** Ports with an address of their own from the start; others are added when they are forwarded, 15 in all. */
      ports: v.optional(v.pipe(v.array(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))), v.maxLength(15))),
      /** Minutes that a session lives before Vercel stops it, extended while it is used; default 45, which every plan allows. */
      sessionMinutes: v.optional(minutes),
      /** Minutes to which a session may be extended: 45 on the Hobby plan, 1440 on the others; default 1440. */
      longestSessionMinutes: v.optional(minutes),
      /** Where commands start; default `/vercel/sandbox`. */
      workdir: v.optional(v.pipe(v.string(), v.regex(/^\//, 'workdir must be an absolute path'))),
      token: v.optional(text),
      teamId: v.optional(text),
      projectId: v.optional(text),
      /** Another address of the API, such as an emulator's; `PETASOS_VERCEL_API_URL` says the same. Plain HTTP only to this machine. */
      apiUrl: v.optional(v.pipe(v.string(), v.url())),
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
