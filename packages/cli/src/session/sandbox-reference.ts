import type { Sandbox } from '@petasos/core';
import { CliError, UsageError } from '../ui/errors.js';
import { isShortId, shortId } from '../ui/format.js';
import { nearest } from '../ui/nearest.js';
import { oneLine } from '../ui/text.js';
import type { Context } from './context.js';
import { findExisting } from './existing-sandbox.js';
import { isOwn, type ListedSandbox, listSandboxes } from './listing.js';
import { openSandbox, resolveTarget } from './open-sandbox.js';

/**
 * The sandboxes that these words name, by name or id, over all installed backends. A name means what an open of it would find, never what
 * somebody else calls so.
 * @throws CliError when one of them names none or several; nothing was done then
 */
export async function namedSandboxes(context: Context, words: readonly string[]): Promise<readonly ListedSandbox[]> {
  const { sandboxes, failures } = await listSandboxes(context);
  try {
    const chosen = new Set<ListedSandbox>();
    for (const word of words) chosen.add(await pick(context, sandboxes, word));
    return [...chosen];
  } catch (error) {
    // It may be in a place that could not be asked; otherwise nobody need hear of that here.
    if (!(error instanceof UsageError)) for (const failure of failures) context.stderr.write(`${failure}\n`);
    throw error;
  }
}

async function pick(context: Context, sandboxes: readonly ListedSandbox[], word: string): Promise<ListedSandbox> {
  const named = sandboxes.filter(({ listing: { ref } }) => ref.name === word || ref.id === word);
  const matches = named.length > 0 ? named : sandboxes.filter(({ listing: { ref } }) => isShortId(word, ref.id));
  const meant: ListedSandbox[] = [];
  for (const match of matches) {
    if (match.listing.ref.name !== word || isOwn(match) || (await opensByName(context, match))) meant.push(match);
  }
  const [only, another] = meant;
  if (another !== undefined) {
    const backends = meant.map(({ listing }) => listing.ref.backend).join(', ');
    throw new UsageError(`several sandboxes are named ${JSON.stringify(word)} (${backends})`, 'Say which with --sandbox, or give its id.');
  }
  if (only !== undefined) return only;
  const [foreign] = matches;
  if (foreign !== undefined) {
    const { owner, ref } = foreign.listing;
    throw new CliError(`${ref.backend}: the sandbox ${JSON.stringify(word)} is of ${oneLine(owner)}, not yours`, {
      code: 'sandbox-not-found',
      remedy: `If it is meant all the same, give its id: ${shortId(ref.id)}.`,
    });
  }
  const names = sandboxes.map(({ listing }) => listing.ref.name);
  const close = nearest(word, names);
  throw new CliError(`there is no sandbox ${JSON.stringify(word)}`, {
    code: 'sandbox-not-found',
    remedy: close === undefined ? 'petasos ls lists them.' : `Did you mean ${close}?`,
  });
}

/** In some places a name is each owner's, in others one for all who share them. */
async function opensByName(context: Context, { backend, listing: { ref } }: ListedSandbox): Promise<boolean> {
  return (await findExisting(context, await resolveTarget(context, backend.name), ref.name))?.id === ref.id;
}

/**
 * Opens a sandbox that was listed, works in it, and lets go of it again.
 * @throws CliError for one that only shows in the listing: an open of its name would make another
 */
export async function inSandbox<T>(context: Context, listed: ListedSandbox, work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const { backend, listing } = listed;
  const target = await resolveTarget(context, backend.name);
  if (!(await opensByName(context, listed))) {
    throw new CliError(`${backend.name}: the sandbox ${JSON.stringify(listing.ref.name)} cannot be opened from here`, {
      code: 'sandbox-not-found',
      remedy: 'It is gone, or another user made it: petasos ls --json shows its state and its owner.',
    });
  }
  const sandbox = await openSandbox(context, target, { name: listing.ref.name });
  try {
    return await work(sandbox);
  } finally {
    await sandbox.close();
  }
}
