import { setTimeout as delay } from 'node:timers/promises';
import { createFiles, type Held, type ScriptRunner } from '../files/index.js';
import { defaultGraceMs, launch, resolveDirectory, type SandboxCore, start } from './core.js';
import type { Files } from './types.js';

/** The sandbox's files. Their scripts are watched like commands, but no gate sees them: they are no command text. */
export function sandboxFiles(core: SandboxCore): Files {
  const runner: ScriptRunner = {
    run: async ({ program, stdin, graceMs, signal }) => {
      const { running, ended } = await start(core, 'files', { program, stdin }, { graceMs, signal });
      return { ...running, ended };
    },
  };
  const last: ScriptRunner = {
    run: async ({ program, stdin }) => {
      const { running, supervised } = await launch(core, { program, stdin }, { timeoutMs: defaultGraceMs });
      return { ...running, ended: supervised.ended };
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
      hold: (transfer) => hold(core, last, transfer),
    }),
    'files',
  );
}

/** What a driver moves by itself ends with the sandbox like a command, and has as long for it, however quickly commands are to end. */
function hold<Result>(core: SandboxCore, last: ScriptRunner, transfer: Held<Result>): Promise<Result> {
  const ending = new AbortController();
  const done = transfer(ending.signal, last);
  const givenUp = new Promise<void>((resolve) => {
    ending.signal.addEventListener('abort', () => resolve(delay(defaultGraceMs, undefined, { ref: false })), { once: true });
  });
  core.activity.add({ stop: () => ending.abort(), ended: Promise.race([done, givenUp]) });
  return done;
}
