import type { Context } from '../session/context.js';

/** What `--json` prints: one indented value and a line feed. */
export function writeJson(context: Context, value: unknown): void {
  context.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
