import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface NodeExit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a TypeScript file in a node process of its own. */
export function runNode(file: URL, args: readonly string[]): Promise<NodeExit> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(file), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
