import { describe, expect, it } from 'vitest';
import command from '../../src/engine/scripts/command.sh?raw';
import { runShell, shells } from './shells.js';

const frame = `${command}
petasos_proc=1 petasos_bash= petasos_setsid= petasos_messages=
petasos_report() { :; }
petasos_started() { sh -c 'echo "$PPID"'; }
exec 6>/dev/null 7>&2
petasos_defaults
petasos_nonce=nonce petasos_cookie=cookie petasos_ack=1`;

describe.runIf(process.platform === 'linux').each(shells)('a command under $name', ({ argv }) => {
  // A signal that follows at once would otherwise find nobody.
  it.each([
    ['', ''],
    ['with input', 'petasos_in=data petasos_data=x'],
    ['with a long text', 'petasos_text=x'],
  ])('is told to have started by the very process that it runs in %s', (_, more) => {
    const [told, ran, ...rest] = runShell(argv, `${frame}\n${more}\npetasos_run sh -c 'echo $$'`).toString().split('\n');
    expect(rest).toEqual(['']);
    expect(told).toMatch(/^\d+$/);
    expect(told).toBe(ran);
  });
});
