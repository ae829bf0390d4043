import type { Call } from '../call.js';
import type { Program } from '../program.js';
import { outside, rule, runs } from './build-common.js';

function runMake(call: Call): void {
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

export const make: readonly Program[] = [
  {
    names: ['make', 'gmake', 'bmake', 'remake', 'mingw32-make'],
    options: {
      values: '-f -C -I -j -l -o -W -E --file --makefile --directory --include-dir --eval --jobs --load-average --old-file --what-if',
    },
    check: runMake,
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
    check: (call) => {
      for (const file of call.values('-o --out-dir')) call.writes(file);
    },
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
];
