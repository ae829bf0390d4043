import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/approval/judge.js';
import { local } from './context.js';

const verdict = (command: string): string => judge(command, local).verdict;

describe('a command in the operand of a replacement', () => {
  it.each([
    'echo "${x/$(rm -rf /)/b}"',
    'echo "${HOME/`rm -rf /`/b}"',
    'echo ${x//$(rm -rf ")" /)/$(ls a/b)}',
    'echo "${x/${y/$(rm -rf /)/b}/c}"',
    'x=a; x=${x/#$(rm -rf "/")/b}',
    'cat <<END\n${x/$(rm -rf /)/b}\nEND',
  ])('is seen across the slashes in it: %s', (command) => {
    expect(verdict(command)).toBe('deny');
  });

  it.each(['echo "${x/$(date +%F)/b}"', 'echo ${PWD/#$HOME/~}', 'echo "${x//\\//-}"', 'echo "${p/$(dirname a/b)/c}"'])(
    'does not disturb one that does no harm: %s',
    (command) => {
      expect(verdict(command)).toBe('allow');
    },
  );
});

describe('a text that is evaluated as arithmetic later', () => {
  it.each(["declare -i n; n='a[$(id)]'", "typeset -i z; z+='a[$(id)]'", 'k=\'a[$(id)]\'; echo "${list[k]}"'])('asks: %s', (command) => {
    expect(verdict(command)).not.toBe('allow');
  });

  it.each(['declare -i n; n=3+4', 'i=2; echo "${list[i]}"', 'typeset -i z=1; z+=2'])('passes where it is a number: %s', (command) => {
    expect(verdict(command)).toBe('allow');
  });
});

describe('a function that runs its arguments', () => {
  it.each([
    'run() { echo "+ $*"; "$@"; }; run npm test',
    'retry() { for i in 1 2 3; do "$@" && return; sleep 1; done; }; retry curl -sf localhost:3000',
    'check() { if "$@" >/dev/null 2>&1; then echo ok; fi; }',
  ])('passes with what does no harm: %s', (command) => {
    expect(verdict(command)).toBe('allow');
  });

  it.each([
    'run() { "$@"; }; run git reset --hard',
    'retry() { until $@; do :; done; }; retry git push --force',
    'f() { "$1"; }',
    'f() { sudo "$@"; }',
  ])('is judged by what it is called with, and by what it adds: %s', (command) => {
    expect(verdict(command)).not.toBe('allow');
  });

  it('denies what would be denied without it', () => {
    expect(verdict('run() { "$@"; }; run rm -rf /')).toBe('deny');
  });
});

describe('a file under another name', () => {
  it.each(['cp /bin/rm ./x && ./x -rf y', 'ln -s /bin/rm r; ./r -rf y', 'cp ~/Downloads/x.sh . && bash x.sh'])(
    'that comes from elsewhere and runs is asked about: %s',
    (command) => {
      expect(verdict(command)).toBe('ask');
    },
  );

  it.each(['cp scripts/a.sh b.sh && bash b.sh', 'cp /etc/hosts hosts && cat hosts'])('passes otherwise: %s', (command) => {
    expect(verdict(command)).toBe('allow');
  });
});

describe('an option whose name is the beginning of another', () => {
  it.each([
    'node --watch index.js',
    'node --inspect server.js',
    'npm ls --global',
    'gpg --armor --export dev@h.example',
    'vitest --project node --coverage',
  ])('is itself: %s', (command) => {
    expect(verdict(command)).toBe('allow');
  });

  it.each(['gpg --export-sec x', 'git reset --har', 'sort --outp=/etc/hosts f', 'start-stop-daemon --start --exec /bin/rm -- -r src'])(
    'is still found as an abbreviation: %s',
    (command) => {
      expect(verdict(command)).toBe('ask');
    },
  );
});
