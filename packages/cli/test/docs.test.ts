import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { globalOptions, type OptionSpecs } from '../src/args/command.js';
import { parseOptions } from '../src/args/parse.js';
import { commands, loadCommand } from '../src/commands/index.js';
import { checkConfig } from '../src/config/file.js';
import { parseYaml } from '../src/config/yaml-text.js';
import { commandHelp, groupHelp, mainHelp } from '../src/ui/help.js';
import { styleFor } from '../src/ui/style.js';
import { mainModule, person } from './support/petasos.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Block {
  readonly at: string;
  readonly kind: string;
  readonly text: string;
  /** The comment in front of it. */
  readonly source: string | undefined;
}

async function blocksOf(path: string): Promise<Block[]> {
  const text = await readFile(join(root, path), 'utf8');
  return [...text.matchAll(/(?:<!-- (\S+) -->\n)?^```(\S.*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    at: `${path}:${text.slice(0, match.index).split('\n').length}`,
    kind: match[2] ?? '',
    text: match[3] ?? '',
    source: match[1],
  }));
}

const packages = await readdir(join(root, 'packages'));
const documents = [
  'README.md',
  'SECURITY.md',
  ...packages.map((name) => `packages/${name}/README.md`),
  ...(await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
];
const blocks = (await Promise.all(documents.map(blocksOf))).flat();

/** Words of a line as a shell would part them, without expanding anything; comments and what follows a pipe are left out. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [part] of line.matchAll(/'[^']*'|"[^"]*"|\s+|[;&|<>]+|[^\s'";&|<>]+/g)) {
    if (/^[;&|<>]/.test(part) || (word === undefined && part.startsWith('#'))) break;
    if (part.trim() === '') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + (/^['"]/.test(part) ? part.slice(1, -1) : part);
  }
  return word === undefined ? words : [...words, word];
}

/** Fails where the command line would be refused. */
async function accepted(words: readonly string[]): Promise<void> {
  const leading = parseOptions(words, { ...globalOptions, json: { type: 'boolean', help: '' } }, true);
  const [name = '', ...rest] = leading.words;
  const entry = commands.find((command) => command.name === name);
  if (entry === undefined) throw new Error(`there is no command ${name}`);
  const loaded = await loadCommand(entry);
  const command = loaded.kind === 'command' ? loaded : loaded.commands.find((candidate) => candidate.name === rest[0]);
  if (command === undefined) throw new Error(`there is no command ${name} ${rest[0]}`);
  const args = loaded.kind === 'command' ? rest : rest.slice(1);
  const specs: OptionSpecs = { ...globalOptions, ...command.options };
  const { words: given } = parseOptions(args, specs, command.wordsEndOptions === true);
  const [least, most] = command.words;
  if (given.length < least || given.length > most) throw new Error(`${words.join(' ')}: ${given.length} words`);
}

describe('command lines of the documents', () => {
  const lines = blocks
    .filter(({ kind }) => /^(?:sh|bash)\b/.test(kind))
    .flatMap(({ at, text }) =>
      text.split('\n').flatMap((line) => {
        const start = line.search(/(?:^|\| |; )petasos /);
        return start === -1 ? [] : [{ at, line: line.slice(start).replace(/^[|;] /, '') }];
      }),
    );

  it('are many', () => {
    expect(lines.length).toBeGreaterThan(40);
  });

  it.each(lines)('$at $line', async ({ line }) => {
    await accepted(wordsOf(line).slice(1));
  });
});

describe('blocks that can be run anywhere', () => {
  it.each(blocks.filter(({ kind }) => kind === 'sh run'))('$at', async ({ text }) => {
    const me = await person();
    const shell = `set -euo pipefail; petasos() { '${process.execPath}' '${mainModule(inject('installation'))}' "$@"; }\n${text}`;
    await promisify(execFile)('bash', ['--norc', '-c', shell], { cwd: me.work, env: { ...me.env } });
  });
});

describe('configurations of the documents', () => {
  it.each(blocks.filter(({ kind, text }) => kind === 'yaml' && /^(?:sandbox|terminal|approvals):/.test(text)))('$at', ({ at, text }) => {
    expect(checkConfig(parseYaml(at, text)).notices).toEqual([]);
  });
});

describe('files that the documents show', () => {
  const shown = blocks.filter(({ source }) => source !== undefined);

  it('are those of the scaffold', () => {
    expect(shown.map(({ source }) => dirname(source ?? ''))).toEqual(Array.from({ length: 3 }, () => 'packages/cli/src/plugins/template'));
  });

  it.each(shown)('$source', async ({ source, text }) => {
    expect(text).toBe(await readFile(join(root, source ?? ''), 'utf8'));
  });
});

describe('the commands', () => {
  const every = Promise.all(commands.map(loadCommand)).then((loaded) =>
    loaded.flatMap((one) =>
      one.kind === 'command'
        ? [{ path: one.name, command: one }]
        : one.commands.map((command) => ({ path: `${one.name} ${command.name}`, command })),
    ),
  );

  it('have examples that they accept', async () => {
    for (const { path, command } of await every) {
      const lines = command.examples.map(({ line }) => line.slice(line.indexOf('petasos ')).replace(/\)"?$/, ''));
      expect(lines.length, path).toBeGreaterThan(0);
      for (const line of lines) await accepted(wordsOf(line).slice(1));
    }
  });

  it('have help that fits into 80 columns, and none of it is lost', async () => {
    const page = { style: styleFor({}, {}), columns: 80 };
    const groups = (await Promise.all(commands.map(loadCommand))).filter((one) => one.kind === 'group');
    const wide = { ...page, columns: undefined };
    const pages = [
      [mainHelp(commands, page), mainHelp(commands, wide)],
      ...groups.map((group) => [groupHelp(group, page), groupHelp(group, wide)]),
      ...(await every).map(({ path, command }) => [commandHelp(path, command, page), commandHelp(path, command, wide)]),
    ];
    const words = (text = '') => text.split(/\s+/).join(' ');
    for (const [narrow = '', whole] of pages) {
      expect(narrow.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(words(narrow)).toBe(words(whole));
    }
  });

  it('are all in the table of the README, and those that print JSON in the table of its shapes', async () => {
    const firstCells = async (path: string) =>
      [...(await readFile(join(root, path), 'utf8')).matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
        [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
      );
    const [listed, shapes] = await Promise.all([firstCells('packages/cli/README.md'), firstCells('docs/configuration.md')]);
    expect(commands.map(({ name }) => name).filter((name) => !listed.includes(name))).toEqual([]);
    const json = (await every).filter(({ command }) => Object.hasOwn(command.options, 'json')).map(({ path }) => path);
    expect(json.filter((path) => !shapes.includes(path))).toEqual([]);
  });
});
