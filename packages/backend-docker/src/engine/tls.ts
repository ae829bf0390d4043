import { readFile } from 'node:fs/promises';
import path from 'node:path';

export interface Tls {
  readonly ca?: Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
  /** Whether the engine's certificate must be known. */
  readonly verify: boolean;
}

/** Docker's three files of one directory; each may be missing. */
export async function readTls(directory: string, verify: boolean): Promise<Tls> {
  const read = (name: string) => readFile(path.join(directory, name)).catch(() => undefined);
  const [ca, cert, key] = await Promise.all([read('ca.pem'), read('cert.pem'), read('key.pem')]);
  return { ca, cert, key, verify };
}
