import { beforeEach, describe, expect, it } from 'vitest';
import { mainModule, marker, nothingLeft, type Person, person } from './support/petasos.js';
import { terminalOf } from './support/terminal.js';

let me: Person;
const terminal = (script: string, env?: Readonly<Record<string, string>>) => terminalOf(me, script, env);
beforeEach(async () => {
  me = await person({ asked: false });
});

const settings = 'stty -a | grep -Eo -- "-?(icanon|echo|isig) " | tr -d "\\n"; echo END';

describe('run on a terminal', () => {
  it('Ctrl-C ends the command, and petasos with its status', async () => {
    const mark = marker();
    const screen = terminal(`trap : INT; petasos run -e MARK=${mark} -- 'echo ready; sleep 60'; echo "status $?"`);
    await screen.sees('ready');
    screen.write('\u0003');
    await screen.sees('status 130');
    await nothingLeft(mark);
  });

  it('what is typed reaches the command', async () => {
    const screen = terminal(`petasos run -- 'echo ready; read line; echo "got <$line>"'; echo "status $?"`);
    await screen.sees('ready');
    screen.write('some words\r');
    await screen.sees('got <some words>');
    await screen.sees('status 0');
  });

  it('Ctrl-D is the end of input', async () => {
    const screen = terminal(`petasos run -- 'echo ready; cat; echo over'; echo "status $?"`);
    await screen.sees('ready');
    screen.write('\u0004');
    await screen.sees('over');
    await screen.sees('status 0');
  });
});

describe('shell', () => {
  it('is a terminal of the size of this one, follows it, and gives it back', async () => {
    const screen = terminal(`petasos shell; echo "status $?"; ${settings}`, { PS1: 'prompt> ' });
    screen.write('echo "size $(stty size)"\r');
    await screen.sees('size 30 100');
    screen.resize(77, 22);
    screen.write('sleep 0.3; echo "size $(stty size)"\r');
    await screen.sees('size 22 77');
    screen.write('tty -s && echo "is a t"ty\r');
    await screen.sees('is a tty');
    screen.write('exit 9\r');
    await screen.sees('status 9');
    await screen.sees(/(?<!-)isig .*END/s);
  });

  it('Ctrl-C goes to what runs in it, not to petasos', async () => {
    const screen = terminal(`petasos shell; echo "status $?"`);
    // Said by the program itself: it has the terminal by then, and the keys are its own.
    screen.write('sh -c "echo re""ady; exec sleep 60"\r');
    await screen.sees('ready');
    screen.write('\u0003');
    screen.write('echo "still h"ere\r');
    await screen.sees('still here');
    screen.write('exit\r');
    await screen.sees('status ');
  });

  it.each(['TERM', 'HUP'])('SIG%s gives the terminal back too', async (signal) => {
    const mark = marker();
    const screen = terminal(
      `petasos shell & wait $!; echo "status $?"; ${settings}`.replace(
        'petasos shell &',
        `"${process.execPath}" "${mainModule()}" shell ${''} <&0 & echo $! > pid; `,
      ),
    );
    screen.write(`export MARK=${mark}; echo re"ady"\r`);
    await screen.sees('ready');
    screen.write(`kill -${signal} $(cat ${me.work}/pid)\r`);
    await screen.sees('status ');
    const seen = await screen.sees('END');
    expect(seen).toContain('icanon ');
    expect(seen).not.toContain('-icanon');
    expect(seen).not.toContain('-echo ');
    await nothingLeft(mark);
  });
});

describe('shell --plain on a terminal', () => {
  it('prompts with the place and its directory, survives Ctrl-C, and ends with Ctrl-D', async () => {
    const screen = terminal(`petasos shell --plain; echo "status $?"`);
    await screen.sees(`local:${me.work}$ `);
    screen.write('cd /\r');
    await screen.sees('local:/$ ');
    screen.write('X=kept; echo re"ady"; sleep 60\r');
    await screen.sees('ready');
    screen.write('\u0003');
    await screen.sees('local:/$ ');
    screen.write('echo "$X and go"ing\r');
    await screen.sees('kept and going');
    await screen.sees('local:/$ ');
    screen.write('half a line\u0003');
    await screen.sees('local:/$ ');
    screen.write('(exit 3)\r');
    await screen.sees('local:/$ ');
    screen.write('\u0004');
    await screen.sees('status 3');
  });
});

describe('colours', () => {
  it('are there on a terminal, unless NO_COLOR says otherwise', async () => {
    const coloured = terminal('petasos backends; echo END');
    expect(await coloured.sees('END')).toContain('\u001b[1mlocal');
    const plain = terminal('petasos backends; echo END', { NO_COLOR: '1' });
    expect(await plain.sees('END')).not.toContain('\u001b[');
    const dumb = terminal('petasos backends; echo END', { TERM: 'dumb' });
    expect(await dumb.sees('END')).not.toContain('\u001b[');
  });
});

it('a terminal that says it has no columns does not know its width: it gets lines as they are', async () => {
  const screen = terminalOf(me, 'stty cols 0; petasos where; petasos doctor local; petasos check "rm -rf /"; echo "status $?"', {
    NO_COLOR: '1',
  });
  await screen.sees(/Isolation +none: a command can do whatever this user can\r\n/);
  await screen.sees(/warning\r\n {2}\S.*\. \S.*\r\n/);
  await screen.sees('✓ linux runs commands directly\r\n');
  await screen.sees('It would be denied.');
  await screen.sees('status 2');
  const asked = terminalOf(me, 'stty cols 0 rows 0; petasos setup local; echo "status $?"', { NO_COLOR: '1' });
  await asked.sees('Change other options? The defaults work.');
  asked.write('\u0003');
  await asked.sees('status 130');
});

it('what is listed fits into 80 columns', async () => {
  const screen = terminalOf(
    me,
    'petasos backends; petasos config list --all; petasos doctor local; echo "status $?"',
    { NO_COLOR: '1' },
    80,
  );
  const seen = await screen.sees('status 0');
  expect(seen).toContain('terminal.sudo_password');
  expect(seen.split('\r\n').filter((line) => line.length > 80)).toEqual([]);
});
