import * as v from 'valibot';

const word = v.pipe(v.string(), v.regex(/^[\w.,:@+/=-]+$/, 'letters, digits and . , : @ + / = - only'));

export const slurmSchema = v.strictObject({
  partition: v.optional(word),
  account: v.optional(word),
  qos: v.optional(word),
  /** Time limit as SLURM writes it: minutes, `HH:MM:SS` or `D-HH:MM:SS`. The allocation ends then, whatever runs. */
  time: v.optional(v.pipe(v.string(), v.regex(/^(?:\d+-)?\d+(?::\d{1,2}){0,2}$/, 'time is minutes, HH:MM:SS or D-HH:MM:SS')), '1:00:00'),
  /** A sandbox is one place: more nodes than one are of no use to it. */
  nodes: v.optional(v.literal(1), 1),
  cpus: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
  /** As SLURM writes it, such as `8G`; default: the partition's. */
  memory: v.optional(v.pipe(v.string(), v.regex(/^\d+[KMGT]?$/, 'memory is a number with K, M, G or T'))),
  /** A number, or a kind and a number such as `a100:2`. */
  gpus: v.optional(v.pipe(v.union([v.string(), v.number()]), v.transform(String), word)),
  /** Milliseconds that `open` waits in the queue before it gives up and takes the request back; default: as long as it takes. */
  waitMs: v.optional(v.pipe(v.number(), v.minValue(0))),
  /** Further options of `sbatch`, each one word, such as `--constraint=ib`. */
  extra: v.optional(
    v.array(v.pipe(v.string(), v.regex(/^--?[\w-]+(?:=[^\n\0]*)?$/, 'an option in one word, such as --constraint=ib'))),
    [],
  ),
});

export type SlurmOptions = v.InferOutput<typeof slurmSchema>;

/** Options of `sbatch` that say what is asked for. */
export function requestArguments(options: SlurmOptions): readonly string[] {
  const { partition, account, qos, time, cpus, memory, gpus, extra } = options;
  return [
    ...(partition === undefined ? [] : [`--partition=${partition}`]),
    ...(account === undefined ? [] : [`--account=${account}`]),
    ...(qos === undefined ? [] : [`--qos=${qos}`]),
    ...['--nodes=1', '--ntasks=1', `--time=${time}`, `--cpus-per-task=${cpus}`],
    ...(memory === undefined ? [] : [`--mem=${memory}`]),
    ...(gpus === undefined ? [] : [`--gpus=${gpus}`]),
    ...extra,
  ];
}
