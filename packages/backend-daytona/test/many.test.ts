import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Emulator, openSandbox, startEmulator } from './place.js';

const sandboxes = 200;
const atOnce = 25;

let emulator: Emulator;

beforeAll(async () => {
  // Ten at once, then ten a second: of the first twenty-five, most are refused.
  emulator = await startEmulator({ createBurst: 10, createsPerMinute: 600, retryAfter: false });
});

afterAll(() => emulator.close());

it(`${sandboxes} sandboxes opened, used and destroyed against a rate limit: none is leaked, none is made twice`, async () => {
  const ids = new Set<string>();
  let next = 0;
  const worker = async () => {
    for (let number = next++; number < sandboxes; number = next++) {
      if (number % 10 === 0) await emulator.fault({ on: '^POST /api/sandbox$', fault: { kind: 'status', status: 502, when: 'after' } });
      const sandbox = await openSandbox(emulator, {}, { name: `many-${number}` });
      ids.add(sandbox.id);
      expect((await sandbox.exec(`echo ${number}`)).stdout).toBe(`${number}\n`);
      await sandbox.destroy();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  expect(ids.size).toBe(sandboxes);
  const creations = await emulator.requests('^POST /api/sandbox$');
  const refused = creations.filter(({ status }) => status === 429).length;
  expect(refused).toBeGreaterThan(0);
  // One for each sandbox, and one more for each that was refused: an answer that was lost is never followed by a second creation.
  expect(creations.length - refused).toBe(sandboxes);
  expect(await emulator.state()).toEqual({ boxes: [], snapshots: [] });
}, 300_000);
