import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Programs with their arguments, of every process that lives on this machine or of one user's. A lane's script is an argument: few lanes make a megabyte. */
export async function commandLines(user?: string | number): Promise<readonly string[]> {
  const whose = user === undefined ? ['-A'] : ['-u', String(user)];
  const { stdout } = await promisify(execFile)('ps', [...whose, '-ww', '-o', 'stat=,args='], { maxBuffer: 2 ** 27 });
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('Z'))
    .map((line) => line.replace(/^\S+\s+/, ''));
}
