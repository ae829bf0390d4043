import { Readable } from 'node:stream';
import { isPetasosError, type PetasosErrorCode, type SandboxListing } from '../../../src/contract/index.js';
import { open } from '../../../src/sandbox/index.js';
import type { ExecResult, OpenOptions, Sandbox } from '../../../src/sandbox/types.js';
import { type Animal, breakBackend, breakOpen, breakSandbox, overlay } from '../animal.js';
import { breakFiles } from '../parts.js';

/** Does something when an open fails with this code, before the error goes on. */
const whenOpenFails = (
  code: PetasosErrorCode,
  then: (reopen: (options: OpenOptions) => Promise<Sandbox>, options: OpenOptions) => Promise<Sandbox | undefined>,
): Animal['breakIt'] => {
  return (healthy) => ({
    ...healthy,
    open: async (backend, options) => {
      const reopen = (changed: OpenOptions) => (healthy.open ?? open)(backend, changed);
      try {
        return await reopen(options);
      } catch (error) {
        const sandbox = isPetasosError(error, code) ? await then(reopen, options) : undefined;
        if (sandbox === undefined) throw error;
        return sandbox;
      }
    },
  });
};

const altersListing = (alter: (listing: SandboxListing) => Partial<SandboxListing>) =>
  breakBackend((backend) => ({
    list: async (options, host) => (await backend.list(options, host)).map((listing) => ({ ...listing, ...alter(listing) })),
  }));

/** Answers from memory once the sandbox has ended, as a client would that never looks. */
const answersAfter = (end: 'close' | 'destroy') =>
  breakSandbox((sandbox) => {
    let last: ExecResult | undefined;
    let over = false;
    return {
      exec: async (command, options) => {
        last = over && last ? last : await sandbox.exec(command, options);
        return last;
      },
      [end]: async () => {
        last ??= await sandbox.exec('true');
        over = true;
        await sandbox[end]();
      },
    };
  });

/** Whoever waits for the start of a process is never told that the sandbox has ended instead. */
const forgetsAt = (end: 'close' | 'destroy') =>
  breakSandbox((sandbox) => {
    let over = false;
    return {
      spawn: (command, options) =>
        new Promise((resolve, reject) => {
          sandbox.spawn(command, options).then(
            (process) => over || resolve(process),
            (error: unknown) => over || reject(error),
          );
        }),
      [end]: async () => {
        over = true;
        await sandbox[end]();
      },
    };
  });

export const lifecycleAnimals: readonly Animal[] = [
  {
    name: 'opens two sandboxes for one name',
    caughtBy: 'L1.origin',
    breakIt: (healthy) => ({
      ...healthy,
      open: async (backend, options) => {
        const sandbox = await (healthy.open ?? open)(backend, { ...options, name: undefined });
        return overlay(sandbox, { name: options.name ?? sandbox.name });
      },
    }),
  },
  {
    name: 'says that it created what it attached to',
    caughtBy: 'L1.origin',
    breakIt: breakSandbox(() => ({ origin: 'created' })),
  },
  {
    name: 'makes a second sandbox where two open one name at once',
    caughtBy: 'L1.race',
    breakIt: (healthy) => {
      const opening = new Set<string>();
      return {
        ...healthy,
        open: async (backend, options) => {
          const name = options.name ?? '';
          const raced = opening.has(name);
          opening.add(name);
          if (!raced) return (healthy.open ?? open)(backend, options);
          return overlay(await (healthy.open ?? open)(backend, { ...options, name: `${name.slice(0, 60)}-2` }), { name });
        },
      };
    },
  },
  {
    name: 'attaches to another’s sandbox of a similar name',
    caughtBy: 'L1.similar-name',
    breakIt: breakBackend((backend) => ({
      find: async (options, name, host) =>
        (await backend.list(options, host)).find(({ ref }) => ref.name.startsWith(name) || name.startsWith(ref.name))?.ref,
    })),
  },
  {
    name: 'has one sandbox for all who give no name',
    caughtBy: 'L1.unnamed',
    breakIt: breakOpen((options) => ({ ...options, name: options.name ?? 'default' })),
  },
  {
    name: 'mends names that cannot be',
    caughtBy: 'L1.invalid-name',
    breakIt: breakOpen((options) => ({
      ...options,
      name:
        options.name
          ?.replace(/[^a-zA-Z0-9._-]/g, '')
          .replace(/^[^a-zA-Z0-9]+/, '')
          .slice(0, 63) || undefined,
    })),
  },
  {
    name: 'ignores options of the backend that it does not know',
    caughtBy: 'L1.unknown-option',
    breakIt: breakBackend((backend) => ({
      options: { '~standard': { ...backend.options['~standard'], validate: () => backend.options['~standard'].validate(undefined) } },
    })),
  },
  {
    name: 'destroys on close',
    caughtBy: 'L2.close',
    breakIt: breakSandbox((sandbox) => ({ close: () => sandbox.destroy() })),
  },
  {
    name: 'leaves processes of a destroyed sandbox behind',
    caughtBy: 'L2.destroy',
    breakIt: breakSandbox((sandbox) => {
      let asked = 0;
      return { destroy: () => (asked++ === 0 ? sandbox.close() : sandbox.destroy()) };
    }),
  },
  {
    name: 'destroys once only',
    caughtBy: 'L2.destroy-twice',
    breakIt: breakSandbox((sandbox) => {
      let destroyed = false;
      return {
        destroy: async () => {
          if (destroyed) throw new Error('no such sandbox');
          destroyed = true;
          await sandbox.destroy();
        },
      };
    }),
  },
  {
    name: 'leaves a sandbox without a name behind',
    caughtBy: 'L2.dispose',
    breakIt: breakSandbox((sandbox) => ({ [Symbol.asyncDispose]: () => sandbox.close() })),
  },
  {
    name: 'destroys a named sandbox when its scope ends',
    caughtBy: 'L2.dispose',
    breakIt: breakSandbox((sandbox) => ({ [Symbol.asyncDispose]: () => sandbox.destroy() })),
  },
  {
    name: 'goes on waiting for a command after close',
    caughtBy: 'L2.close-while-running',
    breakIt: breakSandbox(() => ({ close: async () => {} })),
  },
  { name: 'forgets what is on its way when it is closed', caughtBy: 'L3.closed-underway', breakIt: forgetsAt('close') },
  { name: 'forgets what is on its way when it is destroyed', caughtBy: 'L3.destroyed-underway', breakIt: forgetsAt('destroy') },
  {
    name: 'leaves what it had begun to write when it is closed',
    caughtBy: 'L3.closed-transfer',
    breakIt: breakFiles((files) => ({
      write: async (path, content, options) => {
        if (content instanceof Readable) await files.write(`${path}.part`, '');
        await files.write(path, content, options);
      },
    })),
  },
  {
    name: 'leaves what it had begun to unpack when it is closed',
    caughtBy: 'L3.closed-transfer',
    breakIt: breakFiles((files) => ({
      upload: async (local, remote, options) => {
        await files.mkdir(`${remote}/part`);
        return files.upload(local, remote, options);
      },
    })),
  },
  { name: 'works on after destroy', caughtBy: 'L3.after-destroy', breakIt: answersAfter('destroy') },
  { name: 'works on after close', caughtBy: 'L3.after-close', breakIt: answersAfter('close') },
  {
    name: 'does not see that another has destroyed the sandbox',
    caughtBy: 'L3.destroyed-elsewhere',
    breakIt: (healthy) => {
      const alive = new Map<string, Sandbox>();
      return breakSandbox((sandbox) => {
        const first = alive.get(sandbox.name) ?? sandbox;
        alive.set(sandbox.name, first);
        return { destroy: async () => (sandbox === first ? sandbox.destroy() : sandbox.close()) };
      })(healthy);
    },
  },
  {
    name: 'makes up an exit code for a command of a destroyed sandbox',
    caughtBy: 'L3.destroyed-under-command',
    breakIt: breakSandbox((sandbox) => ({
      exec: async (command, options) => {
        const result = await sandbox.exec(command, options);
        if (result.ended !== 'destroyed' && result.ended !== 'disconnected') return result;
        return { ...result, stdout: result.stdout, stderr: result.stderr, exitCode: 137 };
      },
    })),
  },
  { name: 'forgets labels in the list', caughtBy: 'L4.list', breakIt: altersListing(() => ({ labels: {} })) },
  { name: 'does not know the age of a sandbox', caughtBy: 'L4.list', breakIt: altersListing(() => ({ createdAt: new Date(0) })) },
  { name: 'does not know the owner of a sandbox', caughtBy: 'L4.list', breakIt: altersListing(() => ({ owner: '' })) },
  {
    name: 'keeps a variable in the ref',
    caughtBy: 'L4.ref',
    breakIt: breakSandbox((sandbox, { env = {} }) => ({ ref: { ...sandbox.ref, data: { ...sandbox.ref.data, ...env } } })),
  },
  {
    name: 'runs init again when it attaches',
    caughtBy: 'L8.init',
    breakIt: (healthy) => ({
      ...healthy,
      open: async (backend, options) => {
        const sandbox = await (healthy.open ?? open)(backend, options);
        if (sandbox.origin === 'attached') for (const command of options.init?.commands ?? []) await sandbox.exec(command);
        return sandbox;
      },
    }),
  },
  {
    name: 'does not run init',
    caughtBy: 'L8.init',
    breakIt: breakOpen(({ init: _, ...options }) => options),
  },
  {
    name: 'swallows a failed init',
    caughtBy: 'L8.failed',
    breakIt: whenOpenFails('init-failed', (reopen, { init: _, ...options }) => reopen(options)),
  },
  {
    name: 'leaves the sandbox of a failed init behind',
    caughtBy: 'L8.failed',
    breakIt: whenOpenFails('init-failed', async (reopen, { init: _, ...options }) => {
      const left = await reopen(options);
      setTimeout(() => void left.destroy(), 3000).unref();
      return undefined;
    }),
  },
  {
    name: 'opens although aborted before',
    caughtBy: 'L8.aborted',
    breakIt: breakOpen(({ signal: _, ...options }) => options),
  },
];
