import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxListing } from '../../../src/contract/index.js';
import type { OpenOptions, Sandbox } from '../../../src/sandbox/types.js';
import { type Animal, breakBackend, breakSandbox } from '../animal.js';

/** A scenario that opens a sandbox, so that something can be left of it. */
const anyScenario = 'E3.exit-code';

const afterDestroy = (leave: (sandbox: Sandbox, options: OpenOptions) => Promise<void>) =>
  breakSandbox((sandbox, options) => ({
    destroy: async () => {
      await sandbox.destroy();
      await leave(sandbox, options);
    },
  }));

/** Files stay open until the sandbox is destroyed: the animal's fault must not become one of the test. */
const leavesOpen = (breakIt: (sandbox: Sandbox, leave: () => void) => Partial<Sandbox>) =>
  breakSandbox((sandbox) => {
    const open: number[] = [];
    return {
      ...breakIt(sandbox, () => open.push(openSync('/dev/null', 'r'))),
      destroy: async () => {
        for (const file of open.splice(0)) closeSync(file);
        await sandbox.destroy();
      },
    };
  });

export const leakAnimals: readonly Animal[] = [
  {
    name: 'leaves a file open for every command',
    caughtBy: 'L2.growth',
    breakIt: leavesOpen((sandbox, leave) => ({
      exec: (command, options) => {
        leave();
        return sandbox.exec(command, options);
      },
    })),
  },
  {
    name: 'leaves a file open for every session',
    caughtBy: 'L2.growth',
    breakIt: leavesOpen((sandbox, leave) => ({
      shell: (key, options) => {
        leave();
        return sandbox.shell(key, options);
      },
    })),
  },
  {
    name: 'leaves a process in the place for every command',
    caughtBy: 'L2.growth',
    breakIt: breakSandbox((sandbox) => ({ exec: (command, options) => sandbox.exec(`sleep 60 <&- >&- 2>&- &\n${command}`, options) })),
  },
  {
    name: 'leaves a file in the place for every command',
    caughtBy: 'L2.growth',
    breakIt: breakSandbox((sandbox) => {
      let count = 0;
      return {
        exec: async (command, options) => {
          await writeFile(join(tmpdir(), `${sandbox.id}-${count++}`), '');
          return sandbox.exec(command, options);
        },
      };
    }),
  },
  {
    name: 'leaves a file open for every sandbox',
    caughtBy: 'L2.opens',
    breakIt: (healthy) => {
      const open: number[] = [];
      return breakSandbox((sandbox) => {
        open.push(openSync('/dev/null', 'r'), openSync('/dev/null', 'r'));
        // All but the newest ones go after a while: the animal's fault must not become one of the test.
        setTimeout(() => open.splice(0).forEach(closeSync), 10_000).unref();
        return { exec: (command, options) => sandbox.exec(command, options) };
      })(healthy);
    },
  },
  {
    name: 'leaves a process behind',
    caughtBy: 'L2.left-processes',
    after: anyScenario,
    breakIt: afterDestroy(async (_, { env }) => {
      spawn('sleep', ['5'], { env: { ...env }, stdio: 'ignore', detached: true }).unref();
    }),
  },
  {
    name: 'leaves a file behind on the target',
    caughtBy: 'L2.left-files',
    after: anyScenario,
    breakIt: afterDestroy((sandbox) => writeFile(join(tmpdir(), `petasos-${sandbox.id}`), '')),
  },
  {
    name: 'leaves a temporary file behind on this machine',
    caughtBy: 'L2.left-here',
    after: anyScenario,
    breakIt: afterDestroy(() => writeFile(join(tmpdir(), 'left'), '')),
  },
  {
    name: 'leaves a socket open',
    caughtBy: 'L2.left-here',
    after: anyScenario,
    breakIt: afterDestroy(async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      setTimeout(() => server.close(), 5000);
    }),
  },
  {
    name: 'leaves a destroyed sandbox in the list',
    caughtBy: 'L4.left-listing',
    after: anyScenario,
    breakIt: (healthy) => {
      const ghosts: SandboxListing[] = [];
      return breakBackend((backend) => ({
        destroy: async (options, ref, host) => {
          await backend.destroy(options, ref, host);
          ghosts.push({ ref, state: 'running', createdAt: new Date(), owner: 'nobody', labels: {} });
        },
        list: async (options, host) => [...(await backend.list(options, host)), ...ghosts],
      }))(healthy);
    },
  },
];
