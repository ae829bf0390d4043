import type { Sandbox, SandboxRef } from '@petasos/core';
import { findSandbox, validateOptions } from '@petasos/core/sandbox';
import { loadBackend } from '../plugins/load.js';
import { CliError } from '../ui/errors.js';
import { terminalSecret } from './ask-secret.js';
import type { Context } from './context.js';
import { openSandbox, type Target } from './open-sandbox.js';

/** What an open of this name would attach to: looking must not create what it looks for. */
export async function findExisting(context: Context, target: Target, name: string): Promise<SandboxRef | undefined> {
  const backend = await loadBackend(target.found);
  const options = await validateOptions(backend, target.settings.options);
  const host = { env: target.config.hostEnv, platform: process.platform, askSecret: terminalSecret(context) };
  return findSandbox(backend, options, name, host);
}

/** Opens the sandbox of this name if there is one. */
export async function openExisting(context: Context, target: Target, name: string): Promise<Sandbox | undefined> {
  return (await findExisting(context, target, name)) && openSandbox(context, target, { name });
}

export async function requireExisting(context: Context, target: Target, name: string): Promise<Sandbox> {
  const sandbox = await openExisting(context, target, name);
  if (sandbox !== undefined) return sandbox;
  throw new CliError(`${target.found.name}: there is no sandbox ${JSON.stringify(name)}`, {
    code: 'sandbox-not-found',
    remedy: 'petasos ls lists them; choose one with --sandbox and --name.',
  });
}
