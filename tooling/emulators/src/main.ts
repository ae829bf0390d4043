import { serveControl } from './core/control.js';
import { startEmulator } from './core/emulator.js';
import { layerNames, loadLayer } from './core/layers.js';

const usage = `usage: pnpm emulator NAME    starts it, says what to set, and runs until it is interrupted
names: ${layerNames().join(', ')}`;

async function main([name, mode]: readonly string[]): Promise<number | undefined> {
  if (name === undefined || !layerNames().includes(name)) {
    console.error(usage);
    return 2;
  }
  const emulator = await startEmulator(await loadLayer(name));
  const control = await serveControl(emulator);
  const end = async () => {
    await control.close();
    await emulator.close();
    process.exit(0);
  };
  process.once('SIGINT', () => void end());
  process.once('SIGTERM', () => void end());
  if (mode === '--child') {
    console.log(control.url);
    process.stdin.resume().once('end', () => void end());
  } else {
    console.log(`# ${name} is emulated at ${emulator.url}; its faults are set at ${control.url}. In another terminal:`);
    for (const [key, value] of Object.entries(emulator.env)) console.log(`export ${key}=${value}`);
  }
  return undefined;
}

process.exitCode = await main(process.argv.slice(2));
