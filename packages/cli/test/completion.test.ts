import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { commands } from '../src/commands/index.js';
import { type Person, person } from './support/petasos.js';

let me: Person;
beforeEach(async () => {
  me = await person();
});

describe('completions', () => {
  it('complete in bash what the help knows', async () => {
    const script = join(me.home, 'completion.bash');
    await writeFile(script, (await me.run(['completion', 'bash'])).stdout);
    const complete = (...words: string[]) => {
      const line = words.map((word) => `'${word}'`).join(' ');
      const code = `source '${script}'; COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _petasos; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['--norc', '-c', code], { cwd: me.work, encoding: 'utf8' }).trimEnd().split('\n');
    };
    expect(complete('petasos', 'wh')).toEqual(['where']);
    expect(complete('petasos', '').filter((word) => !word.startsWith('-'))).toEqual(commands.map(({ name }) => name));
    expect(complete('petasos', 'config', 'un')).toEqual(['unset']);
    expect(complete('petasos', 'run', '--time')).toEqual(['--timeout']);
    expect(complete('petasos', '--sandbox', 'loc')).toEqual(['local']);
    expect(complete('petasos', '--sandbox', 'local', 'jobs', 'l')).toEqual(['ls', 'logs']);
    await writeFile(join(me.work, 'script.sh'), '');
    expect(complete('petasos', 'run', '--', 'scr')).toEqual(['script.sh']);
  });

  it('are whole for every shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { stdout, status } = await me.run(['completion', shell]);
      expect(status).toBe(0);
      for (const { name } of commands) expect(stdout).toContain(name);
      expect(stdout).toContain('older-than');
    }
    expect((await me.run(['completion', 'tcsh'])).stderr).toBe('petasos: there are no completions for tcsh. One of bash, zsh, fish.\n');
  });
});

describe('help', () => {
  it('every command and subcommand has a summary, examples, and takes --help', async () => {
    for (const { name, summary } of commands) {
      const { stdout, status } = await me.run([name, '--help']);
      expect(status, name).toBe(0);
      expect(stdout, name).toContain(`${summary}\n`);
      expect(stdout, name).toMatch(/Examples\n {2}# .+\n {2}.+\n/);
    }
  }, 120_000);
});
