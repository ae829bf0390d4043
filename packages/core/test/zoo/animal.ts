import type { Subject } from '../../src/conformance/index.js';
import type { Backend } from '../../src/contract/index.js';
import { open } from '../../src/sandbox/index.js';
import type { CapturedOutput, ExecOptions, ExecResult, OpenOptions, Sandbox } from '../../src/sandbox/types.js';

/** A place that is broken on purpose, in one way. */
export interface Animal {
  /** What it does wrong, such as `ignores cwd`. */
  readonly name: string;
  /** The scenario that must reject it. */
  readonly caughtBy: string;
  /** A scenario that runs before, for a fault that shows only afterwards. */
  readonly after?: string | undefined;
  /** The healthy subject, broken. */
  breakIt(healthy: Subject): Subject;
}

/** Replaces members of every sandbox that the subject opens. What is not replaced works as before. */
export function breakSandbox(replace: (sandbox: Sandbox, options: OpenOptions) => Partial<Sandbox>): Animal['breakIt'] {
  return (healthy) => ({
    ...healthy,
    open: async (backend, options) => {
      const sandbox = await (healthy.open ?? open)(backend, options);
      return overlay(sandbox, replace(sandbox, options));
    },
  });
}

/** Replaces `exec` alone, the most frequent fault. */
export function breakExec(exec: (sandbox: Sandbox, command: string, options: ExecOptions) => Promise<ExecResult>): Animal['breakIt'] {
  return breakSandbox((sandbox) => ({ exec: (command, options = {}) => exec(sandbox, command, options) }));
}

/** Changes the bytes of every captured output, and the text with them. */
export function mapOutput(change: (bytes: Buffer) => Uint8Array): Animal['breakIt'] {
  const changed = (output: CapturedOutput): CapturedOutput => {
    if (output.cutBytes > 0) return output;
    const bytes = change(Buffer.from(output.bytes));
    return { ...output, bytes, text: Buffer.from(bytes).toString(), totalBytes: bytes.length };
  };
  return breakExec(async (sandbox, command, options) => {
    const result = await sandbox.exec(command, options);
    const output = { stdout: changed(result.output.stdout), stderr: changed(result.output.stderr) };
    return { ...result, stdout: output.stdout.text, stderr: output.stderr.text, output };
  });
}

/** Changes what every sandbox is opened with. */
export function breakOpen(change: (options: OpenOptions) => OpenOptions): Animal['breakIt'] {
  return (healthy) => ({
    ...healthy,
    open: (backend, options) => (healthy.open ?? open)(backend, change(options)),
  });
}

/** Replaces members of the backend itself. */
export function breakBackend(replace: (backend: Backend) => Partial<Backend>): Animal['breakIt'] {
  return (healthy) => ({ ...healthy, backend: overlay(healthy.backend, replace(healthy.backend)) });
}

/** `target` with members replaced; a proxy, so that classes with private fields go on working. */
export function overlay<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      if (Object.hasOwn(members, key)) return Reflect.get(members, key);
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Joins command texts of wrappers: quotes one word for a POSIX shell. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
