import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commandText } from '../src/args/command-text.js';
import { parseDuration } from '../src/args/duration.js';
import { parseEnvFlags } from '../src/args/env-flags.js';
import { complete, parseOptions } from '../src/args/parse.js';
import { nearest } from '../src/ui/nearest.js';

describe('durations', () => {
  it.each([
    ['90s', 90_000],
    ['500ms', 500],
    ['1m30s', 90_000],
    ['2h', 7_200_000],
    ['1.5d', 129_600_000],
    ['45', 45_000],
    ['0.5', 500],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text, '--timeout')).toBe(ms);
  });

  it.each(['', 'soon', '5 s', '-1s', '1e3', '10x', 's', '0x10', 'Infinity'])('%j is refused', (text) => {
    expect(() => parseDuration(text, '--timeout')).toThrow(`--timeout: ${JSON.stringify(text)} is not a duration`);
  });

  it('refuses nothing and more than a timer can wait', () => {
    expect(() => parseDuration('0s', '--timeout')).toThrow('is no time at all');
    expect(() => parseDuration('25d', '--timeout')).toThrow('is too long');
    expect(parseDuration('24d', '--timeout')).toBe(2_073_600_000);
  });
});

describe('--env', () => {
  it('takes values with anything in them, and names from the own environment', () => {
    expect(parseEnvFlags(['A=1', 'B=x=y', 'C=', 'HERE', 'A=2'], { HERE: 'line\nbreak' })).toEqual({
      A: '2',
      B: 'x=y',
      C: '',
      HERE: 'line\nbreak',
    });
  });

  it.each(['1A=x', 'A-B=x', '=x', ''])('refuses the name in %j', (flag) => {
    expect(() => parseEnvFlags([flag], {})).toThrow('is not a variable name');
  });

  it('refuses to pass on what is not there', () => {
    expect(() => parseEnvFlags(['MISSING'], {})).toThrow('--env MISSING: the variable is not set here');
  });
});

describe('the command after --', () => {
  it('leaves one word as shell text', () => {
    expect(commandText(['echo $HOME | wc -c'])).toBe('echo $HOME | wc -c');
    expect(commandText([''])).toBe('');
  });

  it('refuses to run nothing', () => {
    expect(() => commandText([])).toThrow('no command given');
  });

  it.each([
    [['printf', '%s\\n', '', 'a b', "it's", '$HOME', '`id`', '*', '~', '=x', '\n', '-n', 'ü', '!!', '#c', 'a;b']],
    [['printf', '%s|', 'A=b', '{1,2}', '"', '\\', '\t', '&', '(x)']],
  ])('keeps several words apart in a real shell: %j', (words) => {
    const [, format = '', ...rest] = words;
    const expected = execFileSync('printf', [format, ...rest]).toString();
    expect(execFileSync('bash', ['-c', commandText(words)]).toString()).toBe(expected);
  });

  it('runs a program whose name looks like an assignment', () => {
    expect(() => execFileSync('bash', ['-c', commandText(['A=b', 'true'])], { stdio: 'pipe' })).toThrow('A=b: command not found');
  });
});

describe('options', () => {
  const specs = {
    name: { type: 'string', short: 'n', value: 'NAME', help: '' },
    env: { type: 'string', multiple: true, help: '' },
    rm: { type: 'boolean', help: '' },
  } as const;

  it('end at the first word of a command that is run', () => {
    const { given, words } = parseOptions(['--rm', '--name=x', 'ls', '--rm', '--', '-l'], specs, true);
    expect([...given]).toEqual([
      ['rm', true],
      ['name', 'x'],
    ]);
    expect(words).toEqual(['ls', '--rm', '--', '-l']);
  });

  it('end at --, and the second -- belongs to the command', () => {
    expect(parseOptions(['-n', 'x', '--', '--', '--rm'], specs, true).words).toEqual(['--', '--rm']);
  });

  it('may stand after words elsewhere', () => {
    const { given, words } = parseOptions(['a', '--rm', 'b', '--env', '1', '--env=2'], specs, false);
    expect(words).toEqual(['a', 'b']);
    expect(complete(given, specs)).toEqual({ name: undefined, env: ['1', '2'], rm: true });
  });

  it.each([
    [['--nmae', 'x'], 'unknown option --nmae', 'Did you mean --name?'],
    [['-x'], 'unknown option -x', 'See --help.'],
    [['--constructor'], 'unknown option --constructor', 'See --help.'],
    [['--name'], '--name needs a value', 'Write --name NAME.'],
    [['--rm=yes'], '--rm takes no value', undefined],
    [['--name', 'a', '-n', 'b'], '-n is given twice', undefined],
  ])('%j: %s', (args, message, remedy) => {
    expect(() => parseOptions(args, specs, true)).toThrow(expect.objectContaining({ message, remedy }));
  });
});

describe('the nearest name', () => {
  it.each([
    ['dokcer', 'docker'],
    ['Docker', 'docker'],
    ['shh', 'ssh'],
    ['kubernetes', undefined],
    ['x', undefined],
  ])('of %s is %s', (word, expected) => {
    expect(nearest(word, ['docker', 'ssh', 'local', 'singularity'])).toBe(expected);
  });
});
