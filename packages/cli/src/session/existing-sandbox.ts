import type { Sandbox } from '@petasos/core';
import { validateOptions } from '@petasos/core/sandbox';
import { loadBackend } from '../plugins/load.js';
import { CliError } from '../ui/errors.js';
import { terminalSecret } from './ask-secret.js';
import type { Context } from './context.js';
import { openSandbox, type Target } from './open-sandbox.js';

/** Opens the sandbox of this name if there is one: looking must not create what it looks for. */
export async function openExisting(context: Context, target: Target, name: string): Promise<Sandbox | undefined> {
  const backend = await loadBackend(target.found);
  const options = await validateOptions(backend, target.settings.options);
  const host = { env: target.config.hostEnv, platform: process.platform, askSecret: terminalSecret(context) };
  const listings = await backend.list(options, host);
  if (!listings.some(({ ref, state }) => ref.name === name && state !== 'gone')) return undefined;
  return openSandbox(context, target, { name });
}

export async function requireExisting(context: Context, target: Target, name: string): Promise<Sandbox> {
  const sandbox = await openExisting(context, target, name);
  if (sandbox !== undefined) return sandbox;
  throw new CliError(`${target.found.name}: there is no sandbox ${JSON.stringify(name)}`, {
    code: 'sandbox-not-found',
    remedy: 'petasos ls lists them; choose one with --sandbox and --name.',
  });
}
