import { validateOptions } from '@petasos/core/sandbox';
import { loadConfig } from '../config/config.js';
import { sessionSettings } from '../config/settings.js';
import { loadBackend } from '../plugins/load.js';
import { terminalSecret } from './ask-secret.js';
import type { Context } from './context.js';
import type { ListedSandbox } from './listing.js';

/** Removes a sandbox that was listed, without opening it. */
export async function destroySandbox(context: Context, { backend: found, listing }: ListedSandbox): Promise<void> {
  const config = await loadConfig(context);
  const { options } = sessionSettings(config, found.name);
  const backend = await loadBackend(found);
  const host = { env: config.hostEnv, platform: process.platform, askSecret: terminalSecret(context) };
  await backend.destroy(await validateOptions(backend, options), listing.ref, host);
}
