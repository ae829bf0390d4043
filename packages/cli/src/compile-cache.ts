import module from 'node:module';
import { isAbsolute, join } from 'node:path';

/**
 * Lets Node keep compiled code from one start to the next, where it can (22.1 and later). In a directory of the user's own:
 * what is found there is run, so that the shared temporary directory, Node's default, would let others in.
 */
export function keepCompiledCode(env: Readonly<Record<string, string | undefined>>): void {
  const enable = (module as { enableCompileCache?: (directory: string) => unknown }).enableCompileCache;
  const { XDG_CACHE_HOME: cache, HOME: home } = env;
  const base = cache !== undefined && isAbsolute(cache) ? cache : home !== undefined && isAbsolute(home) ? join(home, '.cache') : undefined;
  if (base !== undefined) enable?.(join(base, 'petasos', 'compiled'));
}
