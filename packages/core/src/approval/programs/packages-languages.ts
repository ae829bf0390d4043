import type { Program } from '../program.js';
import { elsewhere, global, publishes, rule } from './packages-common.js';

export const packagesLanguages: readonly Program[] = [
  {
    inProject: true,
    names: ['twine', 'flit', 'setup.py', 'gem', 'rubygems', 'bundle', 'bundler'],
    options: {
      values: '-v -i -n -s -k --version --install-dir --bindir --source --key --platform -g --gemfile --path -r --repository -u -p',
    },
    rules: [
      publishes('upload|register|publish|push|yank|owner|signin|release|unlink', {
        test: (call) =>
          /^(?:twine|flit|gem|setup\.py|bundle)$/.test(call.name) && (call.name !== 'bundle' || call.operand(0) === 'release'),
      }),
      global({ when: 'install|uninstall|update|cleanup|pristine', test: (call) => call.name === 'gem' }),
      elsewhere('--source -s --clear-sources'),
      rule('pkg.settings', 'anything', 'It changes the settings of the package manager, which can run programs or move trust.', {
        when: 'config|plugin|sources set|mirror.*|install|uninstall|--add',
        test: (call) => call.name !== 'bundle' || call.operand(0) === 'plugin' || /mirror|path\.system|build\./.test(call.operand(2) ?? ''),
      }),
    ],
    check: (call) => {
      if (!/^bundler?$/.test(call.name)) return;
      const verb = call.operand(0);
      if (verb === 'exec') call.runFrom(call.args.findIndex((arg) => arg.raw === 'exec') + 1);
      if (verb === 'console' || verb === 'open')
        call.report('exec.interactive', 'anything', 'It takes code that nobody has seen yet.', { durable: false });
    },
    match: [
      'gem push x.gem',
      'gem install x',
      'twine upload dist/*',
      'bundle exec irb',
      'bundle exec rails db:drop',
      'gem yank x -v 1',
      'bundle exec rm -rf ~/x',
      'bundle exec pry',
      'gem install x --source http://h.example',
    ],
    not_match: [
      'bundle install',
      'bundle exec rspec',
      'gem list',
      'bundle exec rubocop -a',
      'bundle update rails',
      'twine check dist/*',
      'bundle exec rails test',
      'gem build x.gemspec',
    ],
  },
  {
    names: ['composer', 'pecl', 'pear'],
    options: { values: '-d -o --working-dir --repository --repository-url' },
    rules: [
      global({ when: 'global *' }),
      rule('pkg.settings', 'anything', 'It changes the settings of the package manager, which can run programs or move trust.', {
        when: 'config *',
        test: (call) =>
          /^(?:repositories|repo|secure-http|disable-tls|http-basic|github-oauth|scripts|bin-dir|allow-plugins)/.test(
            call.operand(1) ?? '',
          ) && call.operands.length > 2,
      }),
      elsewhere('--repository --repository-url'),
      global({ when: 'install|uninstall|upgrade', test: (call) => call.name !== 'composer' }),
    ],
    check: (call) => {
      if (call.operand(0) !== 'exec') return;
      call.report('option.runs', 'anything', 'It runs a program that a dependency brought.', { durable: false });
      call.runFrom(call.args.findIndex((arg, index) => index > 0 && !arg.raw.startsWith('-') && arg.raw !== 'exec'));
    },
    match: [
      'composer global require x',
      'composer exec -- rm -rf src',
      'composer config repositories.x vcs http://h.example',
      'pecl install x',
    ],
    not_match: ['composer install', 'composer require a/b', 'composer test', 'composer dump-autoload'],
  },
  {
    names: ['cargo', 'rustup', 'cargo-install'],
    options: {
      values:
        '-p -j -F -Z -C --package --bin --test --example --features --target --target-dir --manifest-path --profile --config --jobs --message-format --color --registry --index --git --path --version --root --token --branch --tag --rev --edition --name --toolchain',
    },
    rules: [
      publishes('publish|yank|owner|login|logout'),
      global({ when: 'install|uninstall|binstall', unless: '--list' }),
      rule('option.runs', 'anything', 'One of its options changes what it runs.', { option: '--config -Z' }),
      elsewhere('--index'),
      global({
        when: 'self|toolchain|default|override|target|component uninstall|update|link|remove',
        test: (call) => call.name === 'rustup' && !/^(?:add|list)$/.test(call.operand(1) ?? ''),
      }),
      rule('option.runs', 'anything', 'It uses another toolchain, which is another program.', {
        when: '+*',
        test: (call) => !/^\+(?:stable|nightly|beta|msrv|\d[\d.]*)(?:-[\w-]+)?$/.test(call.operand(0) ?? ''),
      }),
    ],
    check: (call) => {
      if (call.name === 'rustup' && call.operand(0) === 'run') call.runFrom(call.args.findIndex((arg) => arg.raw === 'run') + 2);
      if (call.operand(0) === 'watch') for (const code of call.values('-x -s')) call.shell(`cargo ${code.raw}`);
    },
    match: [
      'cargo publish',
      'cargo install ripgrep',
      'cargo yank --version 1.0.0 x',
      'cargo --config build.rustc-wrapper="./x" build',
      'cargo owner --add me',
      'rustup self uninstall',
      'rustup toolchain uninstall stable',
      'cargo install --git https://h.example/x',
    ],
    not_match: [
      'cargo build',
      'cargo test -- --nocapture',
      'cargo run --bin halt',
      'cargo publish --dry-run',
      'cargo clippy --all-targets',
      'cargo fmt --check',
      'cargo add serde',
      'rustup show',
      'rustup component add clippy',
      'cargo clean',
      'cargo +nightly fmt',
      'cargo install --list',
      'rustup target add wasm32-unknown-unknown',
    ],
  },
  {
    names: ['go'],
    options: {
      style: 'words',
      values:
        '-run -count -timeout -o -exec -toolexec -vettool -overlay -modfile -ldflags -tags -bench -coverprofile -p -mod -gcflags -C -asmflags -cpuprofile -memprofile',
    },
    rules: [
      rule('option.runs', 'anything', 'One of its options runs another program.', {
        option: '-exec -toolexec -vettool -overlay --exec --toolexec --vettool -modfile',
      }),
      rule('option.runs', 'anything', 'One of its options runs another program.', {
        test: (call) => /-extld|-extldflags.*-(?:wrapper|fplugin|B)/.test(call.value('-ldflags')?.text ?? ''),
      }),
      rule('code.generate', 'anything', 'It runs the commands that stand in the sources.', { when: 'generate', unless: '-n' }),
      rule('pkg.fetch-and-run', 'anything', 'It fetches a program and runs or installs it.', {
        when: 'run|install *@*|*',
        test: (call) => /@/.test(call.operand(1) ?? '') || (call.operand(0) === 'install' && /\.\w+\//.test(call.operand(1) ?? '')),
      }),
      rule('pkg.settings', 'anything', 'It changes the settings of the toolchain, for everything that follows.', {
        when: 'env',
        option: '-w -u',
      }),
      rule('pkg.cache', 'filesystem', 'It deletes all modules that were fetched.', { when: 'clean', option: '-modcache', unless: '-n' }),
    ],
    match: [
      'go run -exec ./x .',
      'go build -toolexec=./x',
      'go generate',
      'go run h.example/x@latest',
      'go install h.example/x@latest',
      'go env -w GOPROXY=http://h.example',
      'go clean -modcache',
      'go vet -vettool=./x',
      'go test -exec "sh -c id" ./...',
    ],
    not_match: [
      'go build ./...',
      'go test ./... -run TestX',
      'go run .',
      'go run ./cmd/app',
      'go mod tidy',
      'go vet ./...',
      'go get h.example/x',
      'go env GOPATH',
      'go clean -cache',
      'go install ./...',
      'go fmt ./...',
    ],
  },
];
