import { createHash } from 'node:crypto';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A testbed belongs to one checkout. Tests of the testbed itself name another folder, so that they never stop this one's services. */
const root = process.env.PETASOS_TESTBED_ROOT || fileURLToPath(new URL('../../..', import.meta.url));

/** What is running, for this checkout. */
export const stateDirectory = join(root, '.testbed');

const checkout = createHash('sha256').update(root).digest('hex').slice(0, 6);

/**
 * Sockets, homes and data of the running services. Not inside the checkout: a socket's path may have about 100 bytes, and
 * other users must be able to enter it. Root's is not below the temporary directory, so that a test server may hide that one.
 */
export const runtimeDirectory = join(process.getuid?.() === 0 ? '/var/lib' : tmpdir(), `petasos-testbed-${checkout}`);

/** Starts the name of every system user that the testbed makes: two checkouts never share one. */
export const userPrefix = `petasos-${checkout}-`;

/** What is slow to make and the same for every checkout. */
export const cacheDirectory = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'petasos', 'testbed');
