import { admitAll, open, validateOptions } from '@petasos/core/sandbox';
import type { Config } from '../config/config.js';
import { sessionSettings } from '../config/settings.js';
import { loadBackend } from '../plugins/load.js';
import type { BackendPackage } from '../plugins/manifest.js';
import { terminalSecret } from '../session/ask-secret.js';
import type { Context } from '../session/context.js';
import { showProgress } from '../ui/progress.js';

/** Gets the slow things of a backend ready, such as an image, and shows how far it is. */
export async function prepare(context: Context, config: Config, found: BackendPackage): Promise<boolean> {
  const backend = await loadBackend(found);
  if (backend.prepare === undefined) return false;
  const options = await validateOptions(backend, sessionSettings(config, found.name).options);
  const progress = showProgress(context);
  try {
    await backend.prepare(options, {
      host: { env: config.hostEnv, platform: process.platform, askSecret: terminalSecret(context) },
      onProgress: progress.report,
    });
    return true;
  } finally {
    progress.end();
  }
}

/** Runs one harmless command in a new sandbox and removes it. @returns where it ran, in words */
export async function tryOut(context: Context, config: Config, found: BackendPackage): Promise<string> {
  const { options, idleLimitMs } = sessionSettings(config, found.name);
  const progress = showProgress(context);
  const sandbox = await open(await loadBackend(found), {
    options,
    idleLimitMs,
    hostEnv: config.hostEnv,
    askSecret: terminalSecret(context),
    // The only command is this file's own.
    gate: admitAll(),
    onProgress: progress.report,
  }).finally(() => progress.end());
  try {
    const started = performance.now();
    const { ended, exitCode } = await sandbox.exec('true', { timeoutMs: 60_000 });
    const took = Math.round(performance.now() - started);
    if (ended !== 'exited' || exitCode !== 0) throw new Error(`the command true ended ${ended} with ${String(exitCode)}`);
    const { machine, user } = await sandbox.placement();
    return `a command ran on ${machine.name} as ${user.name}, in ${took} ms`;
  } finally {
    await sandbox.destroy();
  }
}
