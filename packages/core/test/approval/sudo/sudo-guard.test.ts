import { describe, expect, test } from 'vitest';
import { createSudoGuard, SudoFailureDetector } from '../../../src/approval/memory/sudo-guard.js';
import { createMemoryTally } from '../../../src/approval/memory/tally.js';

const minute = 60_000;

function guardAt() {
  let now = 1_000_000;
  const guard = createSudoGuard(createMemoryTally(), () => now);
  return { guard, wait: (ms: number) => (now += ms), now: () => now };
}

describe('the guard', () => {
  test('three failures block for fifteen minutes, in that sandbox alone', async () => {
    const { guard, wait, now } = guardAt();
    await guard.failed('a', 1);
    await guard.failed('a', 1);
    expect(await guard.blocked('a')).toBeUndefined();
    await guard.failed('a', 1);
    expect(await guard.blocked('a')).toEqual({ until: now() + 15 * minute, failures: 3 });
    expect(await guard.blocked('b')).toBeUndefined();
    wait(15 * minute - 1);
    expect(await guard.blocked('a')).toBeDefined();
    wait(1);
    expect(await guard.blocked('a')).toBeUndefined();
  });

  test('one sudo that failed three times counts three', async () => {
    const { guard } = guardAt();
    await guard.failed('a', 3);
    expect(await guard.blocked('a')).toMatchObject({ failures: 3 });
  });

  test('failures far apart are not guessing', async () => {
    const { guard, wait } = guardAt();
    for (let count = 0; count < 6; count += 1) {
      await guard.failed('a', 1);
      wait(8 * minute);
      expect(await guard.blocked('a')).toBeUndefined();
    }
  });

  test('a success forgives, but does not lift a block', async () => {
    const { guard } = guardAt();
    await guard.failed('a', 2);
    await guard.succeeded('a');
    await guard.failed('a', 2);
    expect(await guard.blocked('a')).toBeUndefined();
    await guard.failed('a', 1);
    await guard.succeeded('a');
    expect(await guard.blocked('a')).toBeDefined();
    await guard.reset('a');
    expect(await guard.blocked('a')).toBeUndefined();
  });

  test('a clock that was set back does not lock sudo for good', async () => {
    const { guard, wait } = guardAt();
    await guard.failed('a', 3);
    wait(-60 * minute);
    expect(await guard.blocked('a')).toBeUndefined();
  });
});

describe('the detector', () => {
  test.each([
    ['[sudo] password for dev: Sorry, try again.\n[sudo] password for dev: \nsudo: 1 incorrect password attempt\n', 1],
    ['Sorry, try again.\nSorry, try again.\nsudo: 3 incorrect password attempts\n', 3],
    ['Sorry, try again.\r\nSorry, try again.\r\n', 2],
    ['sudo: 3 Fehlversuche bei der Passwort-Eingabe\n', 3],
    ['sudo: 3 incorrect password attempts', 3],
    ['sudo: Authentication failed, try again.\n', 1],
    ['doas: Authentication failed\n', 1],
    ['su: Authentication failure\n', 1],
    ['sudo: a password is required\n', 0],
    ['sudo: a terminal is required to read the password; either use the -S option\n', 0],
    ['sudo: /etc/sudoers is owned by uid 1000, should be 0\n', 0],
    ['the log says: sudo: 3 incorrect password attempts in dmesg\n', 0],
    ['grep: no match\n', 0],
  ])('%j has %i failures, however it is cut', (text, failures) => {
    for (const size of [1, 7, text.length]) {
      const detector = new SudoFailureDetector();
      for (let at = 0; at < text.length; at += size) detector.push(new TextEncoder().encode(text.slice(at, at + size)));
      expect(detector.failures).toBe(failures);
      expect(detector.failures).toBe(failures);
    }
  });

  test('megabytes without a newline cost no memory', () => {
    const detector = new SudoFailureDetector();
    for (let count = 0; count < 500; count += 1) detector.push(Buffer.alloc(64 * 1024, 'a'));
    detector.push('\nsudo: 2 incorrect password attempts\n');
    expect(detector.failures).toBe(2);
  });
});
