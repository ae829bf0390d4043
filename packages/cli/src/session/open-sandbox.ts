import { isPetasosError, PetasosError } from '@petasos/core/backend';
import { open, type Sandbox } from '@petasos/core/sandbox';
import { type Config, loadConfig } from '../config/config.js';
import { type SessionSettings, sessionSettings } from '../config/settings.js';
import { findBackend } from '../plugins/find.js';
import { loadBackend } from '../plugins/load.js';
import type { BackendPackage } from '../plugins/manifest.js';
import { showProgress } from '../ui/progress.js';
import { terminalSecret } from './ask-secret.js';
import type { Context } from './context.js';
import { makeGate } from './gate.js';

/** The sandbox that is used when no name is given: one a backend, used again and again. */
export const defaultName = 'default';

/** The backend that this invocation means, with what the configuration says about it. */
export interface Target {
  readonly config: Config;
  readonly found: BackendPackage;
  readonly settings: SessionSettings;
}

export async function resolveTarget(context: Context, backend?: string): Promise<Target> {
  const config = await loadConfig(context);
  const name = backend ?? String(config.get('sandbox')?.value);
  const found = await findBackend(context, config, name);
  return { config, found, settings: sessionSettings(config, name) };
}

export interface OpenRequest {
  /** Undefined: a new sandbox that nobody else knows. */
  readonly name: string | undefined;
  /** A snapshot id to start from. */
  readonly from?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function openSandbox(context: Context, target: Target, request: OpenRequest): Promise<Sandbox> {
  for (const notice of target.settings.notices) context.stderr.write(`note: ${notice}\n`);
  const backend = await loadBackend(target.found);
  const progress = showProgress(context);
  try {
    return await open(backend, {
      name: request.name,
      from: request.from,
      options: target.settings.options,
      idleLimitMs: target.settings.idleLimitMs,
      envPassthrough: target.settings.envPassthrough,
      hostEnv: target.config.hostEnv,
      askSecret: terminalSecret(context),
      gate: makeGate(context, target.config),
      signal: request.signal,
      onProgress: progress.report,
    });
  } catch (error) {
    throw pointAtSettings(error, target);
  } finally {
    progress.end();
  }
}

/** Where commands start when the caller does not say: what is configured, else the caller's directory if the place has it. */
export function startDirectory(context: Context, target: Target): string | undefined {
  return target.settings.cwd ?? (target.found.startsInCallerDirectory ? context.cwd : undefined);
}

/** An option that the backend refused came from a file or a variable: the message says which. */
function pointAtSettings(error: unknown, { settings, found }: Target): unknown {
  if (!isPetasosError(error, 'invalid-options') || settings.optionSettings.size === 0) return error;
  const places = [...settings.optionSettings].map(([option, { key, where }]) => `${option} is ${key} (${where})`);
  return new PetasosError('invalid-options', error.message, {
    backend: found.name,
    operation: error.operation,
    remedy: `Correct the setting: ${places.join('; ')}.`,
    data: error.data,
    cause: error,
  });
}
