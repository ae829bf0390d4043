import type { Backend, HostInfo, SandboxListing } from '../contract/index.js';
import { describeSubject } from './open.js';
import type { Context } from './scenario.js';

/** The backend itself, for what the facade has no word for: what exists, and removal by a ref alone. */
export async function backendOf(
  context: Context,
): Promise<{ readonly backend: Backend; readonly options: unknown; readonly host: HostInfo }> {
  const { options } = await describeSubject(context.subject);
  return { backend: context.subject.backend, options, host: { env: context.hostEnv, platform: process.platform } };
}

/** What the backend lists under this name; undefined when it lists nothing. Fails when it lists two. */
export async function listed(context: Context, name: string): Promise<SandboxListing | undefined> {
  const { backend, options, host } = await backendOf(context);
  const found = (await backend.list(options, host)).filter((one) => one.ref.name === name);
  if (found.length > 1) throw new Error(`${found.length} sandboxes are listed under the one name ${name}`);
  return found[0];
}
