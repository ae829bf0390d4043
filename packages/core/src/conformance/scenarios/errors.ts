import { isPetasosError } from '../../contract/index.js';
import type { ExecOptions, OpenOptions, Sandbox } from '../../sandbox/types.js';
import { ensure, equal, exited, fail, rejects, show, unsupported } from '../expect.js';
import { type Context, scenarios } from '../scenario.js';

/** As a caller without types would write it. */
const untyped = <T extends object>(known: T, unknown: Record<string, unknown>): T => ({ ...known, ...unknown });

/** The powers that a place may lack, with a use of each. */
const powers: readonly { readonly capability: string; declared(sandbox: Sandbox): boolean; use(sandbox: Sandbox): Promise<unknown> }[] = [
  { capability: 'pause', declared: ({ capabilities }) => capabilities.pause !== false, use: (sandbox) => sandbox.pause() },
  { capability: 'snapshot', declared: ({ capabilities }) => capabilities.snapshot !== false, use: (sandbox) => sandbox.snapshot() },
  { capability: 'terminal', declared: ({ capabilities }) => capabilities.terminal, use: (sandbox) => sandbox.terminal() },
  { capability: 'forward', declared: ({ capabilities }) => capabilities.forward !== false, use: (sandbox) => sandbox.forward(80) },
];

async function nothingRan(context: Context, directory: string): Promise<void> {
  const listing = await context.sandbox.exec(`ls ${directory}`);
  exited(listing);
  equal(listing.stdout, '', 'what refused requests have made');
}

export const errors = scenarios('errors', [
  {
    id: 'E13.unknown-option',
    title: 'an option that does not exist is an error, never ignored',
    async run(context) {
      const { sandbox } = context;
      const directory = await context.directory();
      const touch = (name: string) => `: > ${directory}/${name}`;
      const unknown = { timeout: 5 };
      await rejects(sandbox.exec(touch('exec'), untyped({}, unknown)), 'invalid-request', 'exec with an unknown option');
      await rejects(sandbox.spawn(touch('spawn'), untyped({}, unknown)), 'invalid-request', 'spawn with an unknown option');
      await rejects(sandbox.jobs.start(touch('job'), untyped({}, unknown)), 'invalid-request', 'a job with an unknown option');
      const inShell = async () => {
        const shell = sandbox.shell(context.name());
        try {
          await shell.exec(touch('shell'), untyped({}, unknown));
        } finally {
          await shell.close();
        }
      };
      await rejects(inShell(), 'invalid-request', 'a shell command with an unknown option');
      await nothingRan(context, directory);
    },
  },
  {
    id: 'E13.unknown-open-option',
    title: 'an unknown option of a sandbox or of its backend is an error, and nothing is created',
    async run(context) {
      const codes = ['invalid-request', 'invalid-options'] as const;
      await rejects(context.open(untyped<OpenOptions>({}, { nmae: 'typing error' })), codes, 'open with an unknown option');
      const { subject } = context;
      const options = { ...(typeof subject.options === 'object' ? subject.options : {}), petasosUnknown: true };
      const checked = await subject.backend.options['~standard'].validate(options);
      ensure(checked.issues !== undefined, 'the backend should refuse an unknown option of its own, observed that it was accepted');
    },
  },
  {
    id: 'E13.bad-value',
    title: 'a value that makes no sense is an error before anything runs',
    async run(context) {
      const { sandbox } = context;
      const directory = await context.directory();
      const bad: readonly Record<string, unknown>[] = [
        { timeoutMs: -1 },
        { timeoutMs: Number.NaN },
        { timeoutMs: '1000' },
        { idleTimeoutMs: -5 },
        { graceMs: -1 },
        { graceMs: Number.NaN },
        { maxOutputBytes: -1 },
        { env: { PETASOS_A: 5 } },
        { cwd: 5 },
        { stdin: 5 },
        { signal: {} },
      ];
      for (const options of bad) {
        const running = sandbox.exec(`: > ${directory}/ran`, untyped<ExecOptions>({}, options));
        await rejects(running, 'invalid-request', `exec with ${show(options)}`);
      }
      await nothingRan(context, directory);
    },
  },
  {
    id: 'E13.bad-command',
    title: 'a command that is no text is an error',
    async run({ sandbox }) {
      const command: unknown = ['echo', 'x'];
      await rejects(sandbox.exec(command as string), 'invalid-request', 'exec of a list');
    },
  },
  {
    id: 'E13.unsupported',
    title: 'using a power that is not declared is `unsupported`, naming backend and power; a declared one is never refused so',
    async run(context) {
      const { sandbox } = context;
      for (const { capability, declared, use } of powers) {
        if (!declared(sandbox)) await unsupported(context, capability, () => use(sandbox));
      }
      const lacking = powers.filter((power) => !power.declared(sandbox)).map((power) => power.capability);
      context.note(lacking.length === 0 ? 'every power is declared' : `refused as not declared: ${lacking.join(', ')}`);
    },
  },
  {
    id: 'E13.shape',
    title: 'an error has a code, says whether to try again, names backend and operation and what to do',
    async run({ sandbox, subject }) {
      const error = await rejects(sandbox.exec('true', { cwd: '/petasos/there/is/none' }), 'cwd-not-found', 'a missing directory');
      equal([error.backend, error.operation, error.retryable], [subject.backend.name, 'exec', false], 'backend, operation and retryable');
      ensure(error instanceof Error && isPetasosError(error), 'the error should be an Error with the brand of Petasos');
      ensure(error.message.includes('/petasos/there/is/none'), `the message should name the directory, observed ${show(error.message)}`);
      if (!error.remedy) fail('the error should say what to do about it, observed no remedy');
    },
  },
]);
