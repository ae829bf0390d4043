import { createFiles, type ScriptRunner } from '../files/index.js';
import { resolveDirectory, type SandboxCore, start } from './core.js';
import type { Files } from './types.js';

/** The sandbox's files. Their scripts are watched like commands, but no gate sees them: they are no command text. */
export function sandboxFiles(core: SandboxCore): Files {
  const runner: ScriptRunner = {
    run: async ({ program, stdin, graceMs, signal }) => {
      const { running, ended } = await start(core, 'files', { program, stdin }, { graceMs, signal });
      return { ...running, ended };
    },
  };
  return core.life.guard(
    createFiles({
      runner,
      driverFiles: core.driver.files,
      capabilities: core.capabilities,
      backend: core.backend.name,
      workdir: () => resolveDirectory(core, undefined),
      home: async () => (await core.runner.facts()).home,
    }),
    'files',
  );
}
