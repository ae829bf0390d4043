import * as v from 'valibot';

const absolute = (name: string) => v.pipe(v.string(), v.regex(/^\//, `${name} must be an absolute path`));

export const optionsSchema = v.optional(
  v.strictObject({
    workdir: v.optional(
      v.pipe(absolute('workdir'), v.description('directory where commands start; default: the directory in which Petasos was started')),
    ),
    stateDirectory: v.optional(
      v.pipe(absolute('stateDirectory'), v.description('directory of the sandboxes’ records; default: $XDG_STATE_HOME/petasos/local')),
    ),
  }),
  {},
);

export type LocalOptions = v.InferOutput<typeof optionsSchema>;
