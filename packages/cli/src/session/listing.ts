import type { SandboxListing } from '@petasos/core';
import { sandboxOwner } from '@petasos/core/backend';
import { type Config, loadConfig } from '../config/config.js';
import { sessionSettings } from '../config/settings.js';
import { discoverBackends } from '../plugins/discover.js';
import { findBackend } from '../plugins/find.js';
import { askIsolated } from '../plugins/isolated.js';
import type { BackendPackage } from '../plugins/manifest.js';
import { CliError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { describeError, errorLine, inPlace } from '../ui/report-error.js';
import type { Context } from './context.js';

export interface ListedSandbox {
  readonly backend: BackendPackage;
  readonly listing: SandboxListing;
}

/** Whether this user made it, on this machine; one that does not say whose it is counts. */
export function isOwn({ listing: { owner } }: ListedSandbox): boolean {
  return owner === '' || owner === sandboxOwner();
}

export interface Listings {
  readonly sandboxes: readonly ListedSandbox[];
  /** One line for each backend that could not be asked. */
  readonly failures: readonly string[];
}

/**
 * The sandboxes of the named backend, or of every installed one: then one that cannot be asked does not hide the others.
 * @throws CliError when the one that was named cannot be asked
 */
export async function listSandboxes(context: Context): Promise<Listings> {
  const config = await loadConfig(context);
  if (context.sandbox !== undefined) {
    const backend = await findBackend(context, config, String(config.get('sandbox')?.value));
    return { sandboxes: await listOne(config, backend), failures: [] };
  }
  const { backends } = await discoverBackends(context, config);
  const failures: string[] = [];
  const perBackend = await Promise.all(
    backends.map((backend) =>
      listOne(config, backend).catch((error: unknown) => {
        failures.push(errorLine(describeError(error)));
        return [];
      }),
    ),
  );
  return { sandboxes: perBackend.flat(), failures };
}

async function listOne(config: Config, backend: BackendPackage): Promise<ListedSandbox[]> {
  const { options } = sessionSettings(config, backend.name);
  const answer = await askIsolated(backend, 'list', options, config.hostEnv);
  if (!answer.ok)
    throw new CliError(inPlace(backend.name, answer.message), {
      status: exitStatus.placeFailed,
      code: 'list-failed',
      remedy: answer.remedy,
    });
  return answer.value.map((listing) => ({ backend, listing }));
}
