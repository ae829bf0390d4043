import type { Program } from '../program.js';
import { global, publishes, rule } from './packages-common.js';

export const toolchains: readonly Program[] = [
  {
    names: [
      'nvm',
      'fnm',
      'n',
      'volta',
      'pyenv',
      'rbenv',
      'asdf',
      'mise',
      'rtx',
      'sdk',
      'jenv',
      'nodenv',
      'goenv',
      'tfenv',
      'ghcup',
      'opam',
      'stack',
      'cabal',
      'luarocks',
      'cpan',
      'cpanm',
      'dotnet',
      'nuget',
      'dart-pub',
      'pub',
      'flutter',
      'swift-package',
      'pod',
      'carthage',
      'mint',
      'hex',
      'rebar3',
      'lein',
      'boot',
      'sbt',
      'vcpkg',
      'conan',
      'spack',
      'jpm',
      'raco',
      'quicklisp',
      'nimble',
      'shards',
      'zigup',
      'proto',
      'devbox',
      'flox',
      'nix',
      'nix-shell',
      'nix-build',
      'home-manager',
      'nixos-rebuild',
      'darwin-rebuild',
      'chezmoi',
      'stow',
    ],
    options: {
      values:
        '-c -r -s -k -p -f -n -v -P --api-key --source --name --command --run --expr --framework --configuration --runtime --output -o',
    },
    rules: [
      publishes('push|publish|upload|nuget|trunk|deploy|yank|retire|unlist', {
        test: (call) =>
          /^(?:dotnet|nuget|dart-pub|pub|flutter|pod|hex|rebar3|lein|luarocks|cabal|stack|opam|conan|nimble|jpm|raco)$/.test(call.name) &&
          (call.name !== 'dotnet' || (call.operand(0) === 'nuget' && /^(?:push|delete)$/.test(call.operand(1) ?? ''))) &&
          !(call.name === 'dotnet' && call.operand(0) === 'publish') &&
          (call.name !== 'flutter' || call.operand(1) === 'publish') &&
          (call.name !== 'pod' || call.operand(1) === 'push' || call.operand(1) === 'delete') &&
          (call.name !== 'lein' || call.operand(0) === 'deploy') &&
          !(call.name === 'nuget' && call.operand(0) === 'install'),
      }),
      global({ when: 'tool install|update|uninstall', option: '-g --global', test: (call) => call.name === 'dotnet' }),
      global({
        when: 'install',
        test: (call) =>
          /^(?:cpan|cpanm|luarocks)$/.test(call.name) && !call.has('--local --local-lib -l -L --tree --deps-only --installdeps'),
      }),
      global({
        when: '*',
        test: (call) => /^(?:cpan|cpanm)$/.test(call.name) && call.operand(0) !== '.' && !call.has('-l -L --local-lib --installdeps'),
      }),
      rule('pkg.remove', 'filesystem', 'It removes a toolchain or what was built with it.', {
        when: 'uninstall|nuke|purge|implode|remove|gc|collect-garbage|wipe-history|prune',
        test: (call) => !/^(?:pub|flutter|dotnet|nimble|shards|pod|conan|spack|stow|devbox)$/.test(call.name),
        unless: '--dry-run -n',
      }),
      rule('pkg.system', 'filesystem', 'It changes the configuration of the machine or of the home directory.', {
        when: 'switch|boot|apply|update|purge|destroy',
        test: (call) => /^(?:nixos-rebuild|darwin-rebuild|home-manager|chezmoi)$/.test(call.name),
      }),
      rule('env.trust', 'anything', 'It has settings of a directory run by themselves.', {
        when: 'trust',
        test: (call) => call.name === 'mise',
      }),
    ],
    check: (call) => {
      const verb = call.operand(0);
      const dashes = call.args.findIndex((arg) => arg.raw === '--');
      if (/^(?:exec|x|run|shell|develop|services)$/.test(verb ?? '') && dashes >= 0) call.runFrom(dashes + 1);
      else if (
        /^(?:exec|run)$/.test(verb ?? '') &&
        /^(?:rbenv|pyenv|nodenv|jenv|goenv|asdf|devbox|volta|nvm|stack|fnm|opam)$/.test(call.name)
      ) {
        const words = call.args.slice(
          call.args.findIndex((arg) => arg.raw === verb) + (call.name === 'nvm' || call.name === 'fnm' ? 2 : 1),
        );
        if (!(call.name === 'volta' && words[0]?.raw.startsWith('-'))) call.run(words);
      }
      for (const code of call.values('--run')) call.shell(code.raw);
      if (/^(?:nix|nix-shell|devbox)$/.test(call.name)) {
        const at = call.args.findIndex((arg) => /^(?:-c|--command)$/.test(arg.raw));
        if (at >= 0 && call.args[at + 1]) call.args[at + 2] ? call.runFrom(at + 1) : call.shell(call.args[at + 1]?.raw ?? '');
      }
      if (call.name === 'stow') for (const target of call.values('-t --target')) call.writes(target);
    },
    output: (call) =>
      /^(?:init|env|activate|hook|shellenv)$/.test(call.operand(0) ?? '') ? { text: ':\n', sources: new Set(['literal']) } : undefined,
    match: [
      'mise exec -- rm -rf ~/x',
      'rbenv exec git reset --hard',
      'nix-shell --run "rm -rf ~/x"',
      'nix develop -c rm -rf ~/x',
      'dotnet nuget push x.nupkg',
      'nvm uninstall 18',
      'pod trunk push x',
      'dotnet tool install -g x',
      'cpanm Foo',
      'nixos-rebuild switch',
      'nix-shell -p git --run "git push --force"',
      'asdf exec rm -rf ~/x',
    ],
    not_match: [
      'nvm use 20',
      'dotnet build',
      'dotnet test',
      'mise install',
      'pyenv versions',
      'flutter test',
      'pod install',
      'stack build',
      'mise exec -- npm test',
      'nix develop -c make',
      'dotnet publish -c Release',
      'eval "$(pyenv init -)"',
      'sbt test',
      'nvm install 20',
      'dart pub get',
      'lein test',
      'cabal test',
    ],
  },
];
