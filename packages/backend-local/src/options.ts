import * as v from 'valibot';

export const optionsSchema = v.optional(
  v.strictObject({
    /** Directory where commands start; default: the current directory of the process that opens the sandbox. */
    workdir: v.optional(v.pipe(v.string(), v.regex(/^\//, 'workdir must be an absolute path'))),
    /** Directory of the sandboxes' own records; default: `$XDG_STATE_HOME/petasos/local`. */
    stateDirectory: v.optional(v.pipe(v.string(), v.regex(/^\//, 'stateDirectory must be an absolute path'))),
  }),
  {},
);

export type LocalOptions = v.InferOutput<typeof optionsSchema>;
