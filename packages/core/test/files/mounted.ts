import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A file system of its own that only processes with {@link Mounted.prefix} see, so that nothing of it can stay behind. */
export interface Mounted {
  readonly prefix: readonly string[];
  dispose(): Promise<void>;
}

/** Mounts a memory file system at `directory` with mount's options, in a namespace that ends with its holder. */
export async function mounted(directory: string, options: string): Promise<Mounted> {
  const root = process.getuid?.() === 0;
  const script = 'mount -t tmpfs -o "$2" none "$1" && echo mounted && exec sleep 600';
  const holder: ChildProcess = spawn('unshare', [root ? '-m' : '-rm', 'sh', '-c', script, 'sh', directory, options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(holder.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  if (said.toString() !== 'mounted\n') throw new Error(`nothing was mounted: ${said}`);
  const enter = ['nsenter', '-t', String(holder.pid), '-m'];
  return {
    prefix: root ? enter : [...enter, '-U', '--preserve-credentials'],
    dispose: async () => {
      holder.kill('SIGKILL');
      await once(holder, 'exit');
    },
  };
}
