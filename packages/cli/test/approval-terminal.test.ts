import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Person, person } from './support/petasos.js';
import { terminalOf } from './support/terminal.js';

let me: Person;
beforeEach(async () => {
  me = await person();
});

/** A person's terminal, 80 columns wide, in which `petasos` is a command. */
function terminal(script: string, env: Readonly<Record<string, string>> = { NO_COLOR: '1' }) {
  const { write, sees } = terminalOf(me, script, { USER: 'ann', ...env }, 80, 40);
  return { write, sees: async (text: string) => (await sees(text)).replaceAll('\r\n', '\n') };
}

/** Dangerous to the judge and harmless here: there is no repository. */
const risky = 'echo before; git push --force 2>/dev/null; echo after';

describe('the question on a terminal', () => {
  it('shows the command with the dangerous part underlined, and runs it once when it is approved', async () => {
    const screen = terminal(`petasos run -- '${risky}'; echo "status $?"; petasos run -- '${risky}'; echo "status $?"`);
    const seen = await screen.sees('Enter denies): ');
    expect(seen).toContain('Petasos asks: may this run?');
    expect(seen).toContain(`  ${risky}\n`);
    expect(seen).toMatch(/^ {15}\^{10,}$/m);
    expect(seen).toMatch(/in {2}local\/default on .+, as /);
    expect(seen).toContain(`at  ${me.work}`);
    expect(seen).not.toContain('\u001b');
    expect(seen).not.toContain('before\n');
    screen.write('o\r');
    await screen.sees('after');
    await screen.sees('status 0');
    await screen.sees('Enter denies): ');
    screen.write('d use a branch\r');
    expect(await screen.sees('status 126')).toContain('a person denied it: use a branch');
  });

  it('Enter denies, and so does the end of input', async () => {
    const screen = terminal(`petasos run -- '${risky}'; echo "status $?"; petasos run -- '${risky}'; echo "status $?"`);
    await screen.sees('Enter denies): ');
    screen.write('\r');
    expect(await screen.sees('status 126')).not.toContain('\nafter\n');
    await screen.sees('Enter denies): ');
    screen.write('\u0004');
    expect(await screen.sees('status 126')).not.toContain('\nafter\n');
  });

  it('always is remembered, listed and revoked', async () => {
    const screen = terminal(
      `petasos run -- '${risky}'; petasos run -- 'git   push "--force"; true'; echo "status $?"; petasos approvals ls; ` +
        'petasos approvals revoke $(petasos approvals ls --json | grep -o "[0-9a-f]\\{64\\}" | head -1); ' +
        `petasos run -- '${risky}'; echo "status $?"`,
    );
    await screen.sees('Enter denies): ');
    screen.write('a\r');
    await screen.sees('after');
    expect(await screen.sees('status 0')).not.toContain('asks');
    expect(await screen.sees('git push --force\n'.replace('\n', ''))).toMatch(/local\/default {2}ann /);
    await screen.sees('Revoked 1');
    await screen.sees('Enter denies): ');
    screen.write('\r');
    await screen.sees('status 126');
  });

  it('input that is piped to the command is no answer', async () => {
    const screen = terminal(`echo o | petasos run -- 'cat; ${risky}'; echo "status $?"`);
    await screen.sees('Enter denies): ');
    screen.write('o\r');
    const seen = await screen.sees('status 0');
    expect(seen).toContain('\no\nbefore\n');
  });

  it('without stderr on the terminal nobody would see it: denied', async () => {
    const screen = terminal(`petasos run -- '${risky}' 2>error; echo "status $?"; cat error`);
    await screen.sees('status 126');
    await screen.sees('nobody is here to approve it');
  });

  it('Ctrl-C gives up, and the command does not run', async () => {
    const screen = terminal(`trap : INT; petasos run -- '${risky}'; echo "status $?"`);
    await screen.sees('Enter denies): ');
    screen.write('\u0003');
    expect(await screen.sees('status 130')).not.toContain('\nafter\n');
  });

  it('silence is no consent', async () => {
    await mkdir(join(me.home, '.config/petasos'), { recursive: true });
    await writeFile(join(me.home, '.config/petasos/config.yaml'), 'approvals:\n  timeout: 1\n');
    const screen = terminal(`petasos run -- '${risky}'; echo "status $?"`);
    await screen.sees('Enter denies): ');
    expect(await screen.sees('status 126')).toContain('nobody answered within 1 s');
  });

  it('in the line loop, the prompt gets the answer and the loop gets the lines', async () => {
    const screen = terminal('petasos shell --plain; echo "status $?"');
    await screen.sees('$ ');
    screen.write(`${risky}\r`);
    await screen.sees('Enter denies): ');
    screen.write('o\r');
    await screen.sees('after');
    screen.write('echo "still h"ere\r');
    await screen.sees('still here');
    screen.write('exit 4\r');
    await screen.sees('status 4');
  });

  it('in a terminal of the place, the prompt gets the answer, and then the keys go on to the shell', async () => {
    const screen = terminal('petasos shell; echo "status $?"', { NO_COLOR: '1', PS1: 'ready> ' });
    screen.write('echo "at pr"ompt\r');
    await screen.sees('at prompt');
    screen.write('git push --force 2>/dev/null; echo "it r"an\r');
    await screen.sees('Enter denies): ');
    screen.write('o\r');
    await screen.sees('it ran');
    screen.write('git push --force 2>/dev/null; echo "it r"an again\r');
    await screen.sees('Enter denies): ');
    screen.write('\r');
    await screen.sees('not approved');
    screen.write('echo "still h"ere\r');
    expect(await screen.sees('still here')).not.toContain('it ran again');
    screen.write('exit 5\r');
    await screen.sees('status 5');
  });
});
