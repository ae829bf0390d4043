import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What a program does that knows nothing of Petasos: the yardstick of the rows on this machine. */
export async function rawSpawn(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  child.stderr.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`);
  return bytes;
}

export const rawBash = (text: string): Promise<number> => rawSpawn('bash', ['-c', text]);
