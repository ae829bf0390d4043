import * as v from 'valibot';

const word = v.pipe(v.string(), v.regex(/^[\w.,:@+/=-]+$/, 'letters, digits and . , : @ + / = - only'));

export const slurmSchema = v.strictObject({
  partition: v.optional(v.pipe(word, v.description('partition to ask; default: the cluster’s'))),
  account: v.optional(v.pipe(word, v.description('account that is charged; default: the user’s'))),
  qos: v.optional(v.pipe(word, v.description('quality of service; default: the account’s'))),
  time: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^(?:\d+-)?\d+(?::\d{1,2}){0,2}$/, 'time is minutes, HH:MM:SS or D-HH:MM:SS'),
      v.description('time limit: minutes, HH:MM:SS or D-HH:MM:SS; the allocation ends then, whatever runs; default 1:00:00'),
    ),
    '1:00:00',
  ),
  nodes: v.optional(v.pipe(v.literal(1), v.description('only 1: a sandbox is one place, and more nodes are of no use to it')), 1),
  cpus: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.description('CPUs to ask for; default 1')), 1),
  memory: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d+[KMGT]?$/, 'memory is a number with K, M, G or T'),
      v.description('memory to ask for, such as 8G; default: the partition’s'),
    ),
  ),
  gpus: v.optional(
    v.pipe(
      v.union([v.string(), v.number()]),
      v.transform(String),
      word,
      v.description('GPUs to ask for: a number, or a kind and a number such as a100:2; default: none'),
    ),
  ),
  waitMs: v.optional(
    v.pipe(
      v.number(),
      v.minValue(0),
      v.description('milliseconds to wait in the queue before the request is taken back; default: as long as it takes'),
    ),
  ),
  extra: v.optional(
    v.pipe(
      v.array(v.pipe(v.string(), v.regex(/^--?[\w-]+(?:=[^\n\0]*)?$/, 'an option in one word, such as --constraint=ib'))),
      v.description('further options of sbatch, each one word, such as --constraint=ib'),
    ),
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
