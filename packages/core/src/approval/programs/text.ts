import type { Call } from '../call.js';
import { type Data, data } from '../flow.js';
import { hasUnknown, UNKNOWN } from '../marks.js';
import { basename, dirname } from '../paths.js';
import type { Program } from '../program.js';
import { decodeEscapes } from '../resolve/escapes.js';
import { whereIs } from './builtins.js';
import { filtered, inputOf } from './text-common.js';

const utf8 = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function fromBase32(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bytes: number[] = [];
  let buffer = 0;
  let bits = 0;
  for (const character of text.toUpperCase().replace(/[^A-Z2-7]/g, '')) {
    buffer = (buffer << 5) | alphabet.indexOf(character);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((buffer >> bits) & 0xff);
  }
  return utf8(Uint8Array.from(bytes));
}

const fromHex = (text: string): string =>
  utf8(Uint8Array.from((text.replace(/\s|0x|\\x/g, '').match(/[0-9a-fA-F]{2}/g) ?? []).map((pair) => Number.parseInt(pair, 16))));

const fromBase64 = (text: string): string => utf8(Uint8Array.from(Buffer.from(text, 'base64')));

/** A set of `tr`, with ranges and escapes written out. */
function characterSet(text: string): string[] | undefined {
  if (/\[:|\[=/.test(text)) {
    const named: Readonly<Record<string, string>> = {
      '[:lower:]': 'a-z',
      '[:upper:]': 'A-Z',
      '[:digit:]': '0-9',
      '[:alpha:]': 'A-Za-z',
      '[:alnum:]': '0-9A-Za-z',
      '[:space:]': ' \t\n',
    };
    return named[text] === undefined ? undefined : characterSet(named[text] as string);
  }
  const plain = decodeEscapes(text);
  const characters: string[] = [];
  for (let index = 0; index < plain.length; index++) {
    if (plain[index + 1] === '-' && index + 2 < plain.length) {
      const end = plain.charCodeAt(index + 2);
      for (let code = plain.charCodeAt(index); code <= end && characters.length < 512; code++) characters.push(String.fromCharCode(code));
      index += 2;
    } else characters.push(plain[index] as string);
  }
  return characters;
}

function translated(call: Call, text: string): string | undefined {
  const [from, to] = [characterSet(call.operand(0) ?? ''), characterSet(call.operand(1) ?? '')];
  if (!from || !to || call.has('-c -C -s')) return undefined;
  if (call.has('-d')) return [...text].filter((character) => !from.includes(character)).join('');
  return [...text]
    .map((character) => (from.includes(character) ? (to[from.indexOf(character)] ?? to[to.length - 1] ?? character) : character))
    .join('');
}

function cut(call: Call, text: string): string | undefined {
  const { options } = call.parsed(cutOptions);
  const value = (names: string): string | undefined => options.find((option) => names.split(' ').includes(option.name))?.value?.text;
  const list = value('-f -c -b --fields --characters --bytes');
  const range = /^(\d*)(-?)(\d*)$/.exec(list ?? '');
  if (!range) return undefined;
  const from = Number(range[1] || 1) - 1;
  const end = range[2] ? (range[3] ? Number(range[3]) : undefined) : from + 1;
  const delimiter = value('-d --delimiter') ?? '\t';
  return text
    .split('\n')
    .map((line) =>
      options.some((option) => /^-(?:f|-fields)$/.test(option.name))
        ? line.split(delimiter).slice(from, end).join(delimiter)
        : line.slice(from, end),
    )
    .join('\n');
}

function linesOf(call: Call, text: string): string {
  const bytes = call.value('-c --bytes')?.text;
  const count = call.value('-n --lines')?.text ?? call.options.find((option) => /^-\d+$/.test(option.name))?.name.slice(1) ?? '10';
  const wanted = Math.abs(Number(bytes ?? count));
  if (bytes !== undefined)
    return call.name === 'head' ? text.slice(0, wanted) : bytes.startsWith('+') ? text.slice(wanted - 1) : text.slice(-wanted);
  const lines = text.replace(/\n$/, '').split('\n');
  const kept = call.name === 'head' ? lines.slice(0, wanted) : count.startsWith('+') ? lines.slice(wanted - 1) : lines.slice(-wanted);
  return `${kept.join('\n')}\n`;
}

const cutOptions = { values: '-f -d -c -b -s --fields --delimiter --characters --bytes' } as const;

const line = (text: string): Data => (hasUnknown(text) ? data(`${text}\n`, 'unknown') : data(`${text}\n`, 'literal'));

export const text: readonly Program[] = [
  {
    names: ['echo'],
    options: { style: 'none' },
    output: (call) => {
      const flags = call.args.findIndex((arg) => !/^-[neE]+$/.test(arg.raw));
      const options = call.args
        .slice(0, flags < 0 ? undefined : flags)
        .map((arg) => arg.raw)
        .join('');
      const joined = (flags < 0 ? [] : call.args.slice(flags)).map((arg) => arg.raw).join(' ');
      const value = `${options.includes('e') ? decodeEscapes(joined) : joined}${options.includes('n') ? '' : '\n'}`;
      return hasUnknown(value) ? data(value, 'unknown') : data(value, 'literal');
    },
    match: ['echo "rm -rf ~" | sh', '$(echo git) reset --hard'],
    not_match: ['echo "rm -rf /"', 'echo git push --force'],
  },
  {
    names: ['cat', 'tac', 'nl', 'bat', 'batcat', 'gcat', 'zcat', 'bzcat', 'xzcat', 'gzcat', 'lz4cat', 'zstdcat'],
    options: { values: '-b -w -s -v -H -l -r --language --line-range --style --theme --paging --color --pager' },
    shows: true,
    rules: [
      {
        id: 'option.runs',
        reach: 'anything',
        option: '--pager',
        reason: 'One of its options runs another program.',
        test: (call) => /^bat/.test(call.name) && !/^(?:never|less|cat)/.test(call.value('--pager')?.text ?? ''),
      },
    ],
    output: (call) => {
      if (call.name === 'cat') return filtered(call, call.operands, (value) => (call.options.length === 0 ? value : undefined));
      if (call.name === 'tac')
        return filtered(call, call.operands, (value) => `${value.replace(/\n$/, '').split('\n').reverse().join('\n')}\n`);
      return {
        text: undefined,
        sources: /^(?:z|bz|xz|gz|lz4)/.test(call.name)
          ? new Set([...inputOf(call, call.operands).sources, 'decoded' as const])
          : inputOf(call, call.operands).sources,
      };
    },
    match: ['cat ~/.ssh/id_rsa', 'cat ~/.aws/credentials', 'bat --pager ./x f', 'cat /etc/shadow', 'cat /proc/1/environ', 'zcat x.gz | sh'],
    not_match: ['cat README.md', 'cat /etc/hosts', 'cat ~/.ssh/id_rsa.pub', "cat <<'END'\nrm -rf /\nEND", 'cat .env.example'],
  },
  {
    names: ['head', 'tail', 'ghead', 'gtail'],
    options: { values: '-n -c -s --lines --bytes --pid --sleep-interval' },
    shows: true,
    output: (call) => filtered(call, call.operands, (value) => linesOf(call, value)),
    match: ['head -n 5 ~/.netrc', 'tail -c 100 ~/.ssh/id_ed25519', 'head -1 <<< "rm -rf ~/x" | sh'],
    not_match: ['head -n 20 a.ts', 'tail -f log.txt'],
  },
  {
    names: ['base64', 'base32', 'basenc', 'gbase64', 'uudecode', 'base58', 'base91'],
    options: { values: '-w -i -o --wrap --input --output' },
    shows: true,
    check: (call) =>
      void call.values('-o --output').forEach((file) => {
        call.report('option.writes', 'filesystem', `One of its options writes to ${file.text}.`);
        call.writes(file);
      }),
    output: (call) => {
      const decodes = call.has('-d -D --decode') || call.name === 'uudecode';
      if (!decodes) return { text: undefined, sources: inputOf(call, call.operands).sources };
      if (call.name === 'base64' || call.name === 'gbase64') return filtered(call, call.operands, fromBase64, true);
      return call.name === 'base32'
        ? filtered(call, call.operands, fromBase32, true)
        : { text: undefined, sources: new Set([...inputOf(call, call.operands).sources, 'decoded' as const]) };
    },
    match: ['echo cm0gLXJmIH4= | base64 -d | sh', 'base64 ~/.ssh/id_rsa', 'base64 -o x f', 'base64 -d x | bash'],
    not_match: ['echo hi | base64', 'base64 -d data.b64 > data.bin', 'echo aGk= | base64 --decode'],
  },
  {
    names: ['tr', 'rev', 'cut', 'gtr', 'gcut'],
    options: { values: '-f -b -w -s -t --fields --delimiter --width' },
    output: (call) => {
      switch (call.name) {
        case 'tr':
        case 'gtr':
          return filtered(call, [], (value) => translated(call, value), true);
        case 'rev':
          return filtered(
            call,
            call.operands,
            (value) =>
              value
                .split('\n')
                .map((one) => [...one].reverse().join(''))
                .join('\n'),
            true,
          );
        default:
          return filtered(call, call.parsed(cutOptions).operands, (value) => cut(call, value));
      }
    },
    match: ['echo "~ fr- mr" | rev | sh', "echo 'sn -sg /' | tr 'sng' 'rmf' | bash", 'rm -rf "$(echo ~/a:b | cut -d: -f1)"'],
    not_match: ['tr a-z A-Z < a.txt', 'cut -d: -f1 /etc/passwd', 'rev names.txt'],
  },
  {
    names: ['uniq', 'xxd'],
    options: { values: '-f -s -w -l -c -g -o -n --skip-fields --skip-chars --check-chars' },
    check: (call) => {
      if (call.operands[0]) call.reads(call.operands[0]);
      if (call.operands[1]) call.writes(call.operands[1]);
    },
    output: (call) =>
      call.name === 'xxd' && call.options.some((option) => option.name === '-r')
        ? filtered(call, call.operands, fromHex, true)
        : { text: undefined, sources: inputOf(call, call.operands).sources },
    match: ['uniq f ~/.bashrc', 'echo 726d202d7266207e0a | xxd -r -p | sh', 'xxd ~/.ssh/id_rsa'],
    not_match: ['sort a | uniq -c', 'xxd a.bin | head'],
  },
  {
    names: [
      'basename',
      'dirname',
      'realpath',
      'readlink',
      'pwd',
      'whoami',
      'id',
      'which',
      'whereis',
      'hostname',
      'logname',
      'uname',
      'nproc',
      'arch',
    ],
    options: { values: '-s --suffix' },
    output: (call) => {
      const operand = call.operands[0]?.raw;
      switch (call.name) {
        case 'pwd':
          return line(call.scope.cwd ?? UNKNOWN);
        case 'whoami':
        case 'logname':
          return line(call.at.context.user);
        case 'which':
          return operand === undefined ? undefined : line(whereIs(operand));
        case 'basename':
          return operand === undefined ? undefined : line(basename(operand));
        case 'dirname':
          return operand === undefined ? undefined : line(operand.includes('/') ? dirname(operand) : hasUnknown(operand) ? UNKNOWN : '.');
        case 'realpath':
          return operand === undefined ? undefined : line(call.path(operand));
        default:
          return undefined;
      }
    },
    rules: [
      {
        id: 'sys.hostname',
        reach: 'host',
        reason: 'It renames the machine.',
        test: (call) => call.name === 'hostname' && call.operands.length > 0 && call.options.length === 0,
      },
    ],
    match: ['rm -rf "$(dirname ~/x)"', '$(which rm) -rf ~', 'hostname evil'],
    not_match: ['basename a/b.txt .txt', 'which node', 'hostname -f', 'uname -a'],
  },
];
