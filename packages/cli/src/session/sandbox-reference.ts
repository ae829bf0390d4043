import type { Sandbox } from '@petasos/core';
import { CliError, UsageError } from '../ui/errors.js';
import { nearest } from '../ui/nearest.js';
import type { Context } from './context.js';
import { type ListedSandbox, listSandboxes } from './listing.js';
import { openSandbox, resolveTarget } from './open-sandbox.js';

/**
 * The sandboxes that these words name, by name or id, over all installed backends.
 * @throws CliError when one of them names none or several; nothing was done then
 */
export async function namedSandboxes(context: Context, words: readonly string[]): Promise<readonly ListedSandbox[]> {
  const { sandboxes, failures } = await listSandboxes(context);
  for (const failure of failures) context.stderr.write(`${failure}\n`);
  return [...new Set(words.map((word) => pick(sandboxes, word)))];
}

function pick(sandboxes: readonly ListedSandbox[], name: string): ListedSandbox {
  const matches = sandboxes.filter(({ listing: { ref } }) => ref.name === name || ref.id === name);
  const [only, another] = matches;
  if (only === undefined) {
    const close = nearest(
      name,
      sandboxes.map(({ listing }) => listing.ref.name),
    );
    throw new CliError(`there is no sandbox ${JSON.stringify(name)}`, {
      code: 'sandbox-not-found',
      remedy: close === undefined ? 'petasos ls lists them.' : `Did you mean ${close}?`,
    });
  }
  if (another !== undefined) {
    const backends = matches.map(({ listing }) => listing.ref.backend).join(', ');
    throw new UsageError(`several sandboxes are named ${JSON.stringify(name)} (${backends})`, 'Say which with --sandbox, or give its id.');
  }
  return only;
}

/** Opens a sandbox that was listed, works in it, and lets go of it again. */
export async function inSandbox<T>(context: Context, listed: ListedSandbox, work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const target = await resolveTarget(context, listed.backend.name);
  const sandbox = await openSandbox(context, target, { name: listed.listing.ref.name });
  try {
    return await work(sandbox);
  } finally {
    await sandbox.close();
  }
}
