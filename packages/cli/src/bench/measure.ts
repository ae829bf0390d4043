import type { Sandbox } from '@petasos/core';

export interface Measured {
  readonly firstCommandMs: number;
  readonly warmMedianMs: number;
  readonly warmP95Ms: number;
  /** A command in a stateful session. */
  readonly shellMedianMs: number;
  readonly outputMiBPerSecond: number;
  /** One file into the place, and out of it. */
  readonly writeMiBPerSecond: number;
  readonly readMiBPerSecond: number;
}

const commands = 30;
const mebibytes = 16;

/** What a person waits for in this sandbox. The command texts are these alone, and harmless. */
export async function measurePlace(sandbox: Sandbox, onStep: (step: string) => void): Promise<Measured> {
  const timed = async (work: () => Promise<unknown>) => {
    const started = performance.now();
    await work();
    return performance.now() - started;
  };
  const repeated = async (work: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let count = 0; count < commands; count += 1) times.push(await timed(work));
    return times.sort((a, b) => a - b);
  };
  onStep('the first command');
  const firstCommandMs = await timed(() => sandbox.exec('true'));
  onStep(`${commands} commands`);
  const warm = await repeated(() => sandbox.exec('true'));
  const shell = sandbox.shell('bench');
  onStep(`${commands} commands in a shell`);
  await shell.exec('true');
  const inShell = await repeated(() => shell.exec('true'));
  await shell.close();
  onStep(`${mebibytes} MiB of output`);
  const outputMs = await timed(async () => {
    const process = await sandbox.spawn(`head -c ${mebibytes * 1_048_576} /dev/zero`);
    process.stderr.resume();
    for await (const _ of process.stdout);
    await process.exited;
  });
  const path = `/tmp/petasos-bench-${sandbox.id}`;
  onStep(`a file of ${mebibytes} MiB in`);
  const writeMs = await timed(() => sandbox.files.write(path, new Uint8Array(mebibytes * 1_048_576)));
  onStep(`a file of ${mebibytes} MiB out`);
  const readMs = await timed(async () => {
    for await (const _ of await sandbox.files.readStream(path));
  });
  await sandbox.files.remove(path);
  const perSecond = (ms: number) => (mebibytes / ms) * 1000;
  return {
    firstCommandMs,
    warmMedianMs: quantile(warm, 0.5),
    warmP95Ms: quantile(warm, 0.95),
    shellMedianMs: quantile(inShell, 0.5),
    outputMiBPerSecond: perSecond(outputMs),
    writeMiBPerSecond: perSecond(writeMs),
    readMiBPerSecond: perSecond(readMs),
  };
}

function quantile(sorted: readonly number[], at: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}
