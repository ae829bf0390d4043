import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = (path: string) => new URL(path, import.meta.url);
const typescript = pathToFileURL(createRequire(import.meta.url).resolve('tsx'));

/**
 * Fits `spawnClient` of the conformance suite: another process that runs from the sources, as the tests do. The module
 * must export `subject`, equal to the one under test.
 */
export function clientOf(module: URL | string): (task: unknown) => ChildProcess {
  return (task) =>
    spawn(
      process.execPath,
      ['--import', typescript.href, '--import', here('raw-text.mjs').href, fileURLToPath(here('main.ts')), String(module)],
      {
        env: {
          ...process.env,
          // Its cache would count as a file that the suite left behind.
          TSX_DISABLE_CACHE: '1',
          TSX_TSCONFIG_PATH: fileURLToPath(here('../../../../tsconfig.sources.json')),
          PETASOS_CLIENT_TASK: JSON.stringify(task),
        },
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
}
