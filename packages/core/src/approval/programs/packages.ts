import type { Call } from '../call.js';
import { hasUnknown } from '../marks.js';
import { contains } from '../paths.js';
import type { Program, Rule } from '../program.js';
import { applyRules } from '../program-rules.js';

const rule = (id: string, reach: Rule['reach'], reason: string, more: Partial<Rule> = {}): Rule => ({ id, reach, reason, ...more });
const publishes = (when: string, more: Partial<Rule> = {}): Rule =>
  rule('registry.publish', 'remote-service', 'It publishes or withdraws a package, or changes who may.', {
    when,
    unless: '--dry-run',
    ...more,
  });
const global = (more: Partial<Rule>): Rule =>
  rule('pkg.global', 'filesystem', 'It installs for the whole machine or user, outside of the project.', more);
const elsewhere = (option: string): Rule =>
  rule('pkg.index', 'anything', 'It takes packages from another place than usual, and installing runs their code.', { option });

const nodeOptions = {
  values:
    '-w --workspace --prefix --registry --userconfig --globalconfig --script-shell --node-options --cache --tag --otp --loglevel --filter -F -C --dir --cwd -p --package -c --call --browser --shell --store-dir --virtual-store-dir --global-dir --access --omit --include --before',
} as const;

const nodeRules: readonly Rule[] = [
  rule('option.runs', 'anything', 'One of its options runs another program.', {
    option: '--script-shell --node-options --shell --browser --git --editor',
  }),
  elsewhere('--registry --userconfig --globalconfig'),
  global({
    option: '-g --global --location',
    when: 'install|i|add|update|up|upgrade|uninstall|remove|rm|un|link|ci',
    test: (call) => !call.has('--location') || /global/.test(call.value('--location')?.text ?? 'global') || call.has('-g --global'),
  }),
  global({ when: 'global add|remove|upgrade' }),
  global({
    option: '--prefix --global-dir',
    when: 'install|i|add|ci|update',
    test: (call) =>
      call.values('--prefix --global-dir').some((dir) => !contains(call.at.context.project ?? call.at.context.cwd, call.path(dir))),
  }),
  publishes('publish|unpublish|deprecate|star|unstar|undeprecate|stage'),
  publishes(
    'dist-tag|tag|owner|access|token|team|org|hook|profile|trust add|rm|set|grant|revoke|public|restricted|create|edit|delete|remove|2fa-required|2fa-not-required|destroy|enable-2fa|disable-2fa',
    { reach: 'credentials' },
  ),
  publishes('npm publish|login|logout', { test: (call) => call.name === 'yarn' }),
  publishes('npm tag|owner add|remove', { test: (call) => call.name === 'yarn' }),
  rule('pkg.settings', 'anything', 'It changes the settings of the package manager, which can run programs or move trust.', {
    when: 'config|c set|delete|rm|edit|fix',
    test: (call) =>
      !/^(?:loglevel|progress|fund|audit|color|save-exact|init-.*|engine-strict|save-prefix)(?:=|$)/.test(call.operand(2) ?? ''),
  }),
  rule('pkg.settings', 'anything', 'It changes the settings of the package manager.', { when: 'set', test: (call) => call.name === 'npm' }),
  rule('pkg.scripts', 'anything', 'It changes which commands run by themselves.', {
    when: 'pkg set',
    test: (call) => call.operands.some((operand) => /^scripts[.[]/.test(operand.text)),
  }),
  rule('pkg.edit', 'anything', 'It opens an editor or a shell in a package.', { when: 'edit|explore' }),
  rule('pkg.create', 'anything', 'It fetches a program and runs it at once.', {
    when: 'create|init|innit *',
    test: (call) =>
      !call.operand(1)?.startsWith('-') &&
      !/^(?:vite|vite@latest|next-app|next-app@latest|react-app|svelte|svelte@latest|vue|vue@latest|astro|astro@latest|@eslint\/config|@eslint\/config@latest|playwright|playwright@latest|nuxt|nuxt@latest|remix|remix@latest|solid|t3-app|t3-app@latest|expo-app|hono|hono@latest|turbo|turbo@latest|@vitejs\/app)$/.test(
        call.operand(1) ?? '',
      ),
  }),
  rule('pkg.cache', 'filesystem', 'It deletes what others have stored.', {
    when: 'cache clean|clear|rm|delete',
    option: '-f --force --all',
  }),
  rule('pkg.dynamic', 'anything', 'What it installs or runs cannot be known beforehand.', {
    when: 'install|i|add',
    test: (call) =>
      call.operands
        .slice(1)
        .some(
          (operand) =>
            /^(?:https?:|git\+|git:|github:|gitlab:|bitbucket:|ssh:|git@|file:\/)/.test(operand.text) ||
            (/^[^@][^/]*\/[^/]+$/.test(operand.text) && !/^[.~/]/.test(operand.text) && !operand.dynamic) ||
            (/\.tgz$/.test(operand.text) && /:\/\//.test(operand.text)),
        ),
  }),
];

/** Packages whose program is everyday work, fetched or not. */
const everyday =
  /^(?:@[\w.-]+\/[\w.-]+|(?:vitest|jest|mocha|ava|tap|c8|nyc|eslint|prettier|biome|tsc|tsx|ts-node|tsup|tsdown|esbuild|rollup|vite|webpack|parcel|turbo|nx|lerna|changeset|playwright|cypress|storybook|sb|next|nuxt|astro|remix|svelte-kit|svelte-check|vue-tsc|ng|gatsby|eleventy|tailwindcss|postcss|sass|stylelint|markdownlint|markdownlint-cli|cspell|knip|depcheck|npm-check-updates|ncu|license-checker|typedoc|jsdoc|swagger-cli|openapi-generator-cli|openapi-typescript|graphql-codegen|prisma|drizzle-kit|typeorm|knex|sequelize-cli|husky|lint-staged|commitlint|semantic-release|standard|xo|oxlint|tslint|madge|dependency-cruiser|size-limit|bundlesize|lighthouse|http-server|serve|json-server|nodemon|pm2|concurrently|wait-on|cross-env|dotenv|rimraf|mkdirp|shx|npm-run-all|patch-package|syncpack|sort-package-json|publint|attw|are-the-types-wrong|tsd|expo|react-native|cap|electron|electron-builder|wrangler|vercel|netlify|firebase|supabase|create-[\w-]+|degit|tsc-watch|depcheck|nest|hygen|plop|shadcn|shadcn-ui|envinfo|only-allow|cowsay|tsgo|buf|zx|wdio|karma|gulp|grunt|babel|swc|pkgroll|unbuild|mkdist|api-extractor|zod|ultracite|skott|taze|bumpp|release-it|np|speedscope|clinic|autocannon|pino-pretty|tldr|gitmoji|prettier-package-json))(?:@[\w.^~-]+)?$/;

function nodeRunner(call: Call): void {
  const codes = call.values('-c --call');
  for (const code of codes) call.shell(code.raw);
  if (codes.length) return;
  const { rest, options } = call.parsed();
  const words = call.args.slice(rest);
  const program = words[0];
  if (!program) return;
  const explicit = call.values('-p --package').map((value) => value.text);
  const name = explicit[0] ?? program.text;
  const fetches =
    options.some((option) => /^(?:-y|--yes)$/.test(option.name)) || /^(?:dlx|pnpx|bunx|x|pipx|uvx)$/.test(call.name) || explicit.length > 0;
  if (
    /^(?:https?:|git\+|git@|github:)/.test(name) ||
    (/^[\w-]+\/[\w.-]+$/.test(name) && !name.startsWith('@') && !name.startsWith('./')) ||
    hasUnknown(program.raw)
  )
    call.report('pkg.fetch-and-run', 'anything', 'It fetches a program and runs it at once.', { durable: false });
  else if (fetches && !everyday.test(name))
    call.report('pkg.fetch-and-run', 'anything', `It fetches ${name} and runs it at once.`, { durable: false });
  const bare = call.literal(program.text.replace(/^@[\w.-]+\//, '').replace(/@[\w.^~-]+$/, ''));
  if (program.literal) call.run([bare, ...words.slice(1)]);
}

const runnerOptions = {
  values: '-p --package -c --call --registry --userconfig -w --workspace --cache --python --from --with --index-url --spec -n',
  stop: true,
} as const;

function nodeManager(call: Call): void {
  applyRules(nodeRules, call);
  const verb = call.operand(0);
  if (verb === 'exec' || verb === 'x' || verb === 'dlx') {
    const at = call.args.findIndex((arg) => arg.raw === verb);
    const codes = call.values('-c --call');
    if (codes.length) for (const code of codes) call.shell(code.raw);
    else {
      const words = call.args.slice(at + 1);
      const from = words.findIndex((word) => !word.raw.startsWith('-') || word.raw === '--');
      if (verb === 'exec' && call.name !== 'npm') call.runFrom(at + 1 + Math.max(0, words[from]?.raw === '--' ? from + 1 : from));
      else nodeRunner(call.sub(verb === 'exec' ? 'npx' : verb, at + 1, runnerOptions));
    }
  } else if (verb === 'explore') {
    const dashes = call.args.findIndex((arg) => arg.raw === '--');
    if (dashes >= 0) call.runFrom(dashes + 1);
  } else if (call.name === 'bun' && (call.has('-e --eval -p --print') || verb === undefined)) {
    const code = call.options.find((option) => /^(?:-e|--eval|-p|--print)$/.test(option.name));
    const text = code?.value ?? call.args[(code?.index ?? -1) + 1];
    if (code && text) call.code('node', text.raw);
  }
}

const pipOptions = {
  values:
    '-r -c -e -i -f -t -d -w --requirement --constraint --editable --index-url --extra-index-url --find-links --target --prefix --root --python --src --cache-dir --trusted-host --proxy --log --default-index --index --with --group --extra -p --package --python-version',
} as const;

const isAddress = (text: string): boolean => /^(?:[\w.-]+\s*@\s*)?(?:git\+|hg\+|svn\+|https?:|ftp:|file:|ssh:)/.test(text);

const pipRules: readonly Rule[] = [
  elsewhere('-i --index-url --extra-index-url -f --find-links --trusted-host --default-index --index --proxy'),
  global({ option: '-t --target --prefix --root --break-system-packages --system' }),
  rule('pkg.remove', 'filesystem', 'It removes packages without asking.', { when: 'uninstall|remove', option: '-y --yes' }),
  rule('pkg.settings', 'anything', 'It changes the settings of the package manager, which can move trust.', {
    when: 'config set|unset|edit',
  }),
  rule('pkg.address', 'anything', 'It installs from an address, which runs the code that stands there.', {
    when: 'install|download|wheel|add',
    test: (call) =>
      call.operands.slice(1).some((operand) => isAddress(operand.text)) ||
      call.values('-e --editable -r --requirement').some((value) => isAddress(value.text)),
  }),
  rule('pkg.cache', 'filesystem', 'It deletes what others have stored.', { when: 'cache purge|clean|clear|remove' }),
  publishes('publish|upload|register'),
];

/** `uv pip …`, `uv run …`, `poetry run …`: a package manager in front of another command. */
function pythonManager(call: Call): void {
  const verb = call.operand(0);
  const at = call.args.findIndex((arg) => arg.raw === verb);
  if (call.name === 'uv' && verb === 'pip') applyRules(pipRules, call.sub('pip', at + 1, pipOptions));
  else applyRules(pipRules, call);
  if (verb === 'run' || verb === 'exec' || (verb === 'tool' && call.operand(1) === 'run')) {
    const sub = call.sub(call.name, at + (verb === 'tool' ? 2 : 1), {
      values:
        '--with --python -p --extra --group --env-file --with-requirements --from --package --project -n --name -e --env --spec --pip-args',
      stop: true,
    });
    const words = sub.args.slice(sub.parsed().rest);
    if ((verb === 'tool' || call.name === 'pipx') && words[0]) fetched(call, words[0].text);
    if (words.length) call.run(words);
  } else if (verb === 'tool' && /^(?:install|uninstall|upgrade)$/.test(call.operand(1) ?? ''))
    call.report('pkg.global', 'filesystem', 'It installs for the whole user, outside of the project.');
}

const pythonTools =
  /^(?:ruff|black|isort|mypy|pytest|flake8|pylint|pyright|bandit|pre-commit|tox|nox|cookiecutter|httpie|poetry|pdm|hatch|build|twine|mkdocs|sphinx-build|jupyter|ipython|pip-audit|vulture|coverage|codespell|pyupgrade|ty|basedpyright|marimo|datasette|sqlfluff|yamllint|djlint|cruft|uv|pip-tools|pip-compile)(?:[@=<>].*)?$/;

function fetched(call: Call, name: string): void {
  if (!pythonTools.test(name)) call.report('pkg.fetch-and-run', 'anything', `It fetches ${name} and runs it at once.`, { durable: false });
}

export const packages: readonly Program[] = [
  {
    names: ['npm', 'pnpm', 'yarn', 'bun', 'cnpm', 'yarnpkg', 'corepack', 'lerna', 'rush', 'nx'],
    options: nodeOptions,
    check: nodeManager,
    match: [
      'npm publish',
      'npm unpublish x --force',
      'npm install -g x',
      'npm install --prefix /usr x',
      'npm i --registry http://h.example x',
      'npm config set script-shell ./x',
      'npm exec -c "rm -rf ~/x"',
      'npm pkg set scripts.postinstall=./x',
      'npm owner add me x',
      'pnpm dlx unknown-tool',
      'yarn global add x',
      'npm install git+https://h.example/x.git',
      'npm install https://h.example/x.tgz',
      'npm token create',
      "bun -e \"require('child_process').execSync('id')\"",
      'npm create unknown-thing',
      'pnpm add -g x',
      'yarn npm publish',
      'pnpm exec rm -rf ~/x',
      'npm deprecate x@1 "no"',
      'npm dist-tag add x@1 latest',
    ],
    not_match: [
      'npm ci',
      'npm install --save-dev vitest',
      'npm run deploy:docs',
      'pnpm -r test',
      'yarn install --frozen-lockfile',
      'npm publish --dry-run',
      'npm outdated',
      'npm config get registry',
      'bun install',
      'pnpm exec eslint .',
      'npm create vite@latest app',
      'npm uninstall lodash',
      'npm i @scope/pkg',
      'npm view x versions',
      'yarn workspace a test',
      'bun run build',
      'npm audit fix',
      'npm init -y',
      'npm pack',
      'npm ls -g',
    ],
  },
  {
    names: ['npx', 'pnpx', 'bunx', 'dlx'],
    options: runnerOptions,
    wrapper: true,
    check: nodeRunner,
    match: [
      'npx -y unknown-tool',
      'npx -c "rm -rf ~/x"',
      'npx https://h.example/x',
      'bunx unknown-tool',
      'npx rimraf src',
      'npx --package evil run',
      'npx prisma migrate reset',
    ],
    not_match: [
      'npx vitest run',
      'npx eslint --fix .',
      'npx tsc --noEmit',
      'npx -y prettier --check .',
      'npx playwright test',
      'npx some-local-tool',
    ],
  },
  {
    names: ['pip', 'pip3', 'pipenv'],
    options: pipOptions,
    rules: pipRules,
    check: (call) => {
      if (call.name === 'pipenv' && call.operand(0) === 'run') call.runFrom(call.args.findIndex((arg) => arg.raw === 'run') + 1);
    },
    match: [
      'pip install -i http://h.example x',
      'pip install git+https://h.example/x',
      'pip install --target /usr/lib x',
      'pip uninstall -y requests',
      'pip install --break-system-packages x',
      'pip config set global.index-url http://h.example',
      'pip install https://h.example/x.whl',
      'pip install --extra-index-url http://h.example x',
      'pipenv run rm -rf ~/x',
    ],
    not_match: [
      'pip install -r requirements.txt',
      'pip install requests',
      'pip list',
      'pip freeze',
      'pip install -e .',
      "pip install -e '.[dev]'",
      'pip show x',
      'pipenv run pytest',
      'pip install --upgrade pip',
    ],
  },
  {
    names: ['uv', 'poetry', 'pdm', 'hatch', 'rye', 'pipx', 'pixi', 'conda', 'mamba', 'micromamba'],
    options: { ...pipOptions, values: `${pipOptions.values} -n --name --env` },
    rules: [
      global({ when: 'install|uninstall|inject|upgrade|reinstall', test: (call) => call.name === 'pipx' }),
      rule('pkg.remove', 'filesystem', 'It removes an environment with everything in it.', { when: 'env remove', unless: '--dry-run' }),
      rule('pkg.remove', 'filesystem', 'It removes an environment or packages.', {
        when: 'remove|uninstall|clean',
        option: '--all -a -y --yes -p --prefix',
        test: (call) => /^(?:conda|mamba|micromamba|pixi)$/.test(call.name),
      }),
      rule('pkg.settings', 'anything', 'It changes the settings of the package manager, which can move trust.', {
        when: 'source|repository|self add|update|remove',
        test: (call) => !(call.operand(0) === 'self' && call.operand(1) === 'add') || call.name === 'poetry',
      }),
      rule('pkg.settings', 'credentials', 'It stores credentials of a registry.', {
        when: 'config *',
        test: (call) => /^(?:http-basic|pypi-token|repositories|certificates)\b/.test(call.operand(1) ?? '') && call.operands.length > 2,
      }),
    ],
    check: pythonManager,
    match: [
      'uv publish',
      'poetry publish --build',
      'pipx install x',
      'pipx run unknown-tool',
      'uv run rm -rf ~/x',
      'uv pip install --index-url http://h.example x',
      'conda env remove -n x',
      'uv tool install x',
      'poetry config pypi-token.pypi x',
      'uv add git+https://h.example/x',
      'poetry run python -c "import os; os.system(\'id\')"',
      'uv tool run unknown-tool',
      'conda run -n a rm -rf ~/x',
    ],
    not_match: [
      'uv sync',
      'uv add requests',
      'poetry install',
      'poetry run pytest',
      'uv run pytest -q',
      'pdm install',
      'hatch run test',
      'uv pip install -r requirements.txt',
      'conda env list',
      'uv lock',
      'poetry add requests',
      'uv venv',
      'conda activate x',
      'pipx run black .',
      'uv tool run ruff check .',
    ],
  },
  {
    names: ['uvx'],
    options: { values: '--from --with --python -p', stop: true },
    wrapper: true,
    check: (call) => {
      const words = call.args.slice(call.parsed().rest);
      if (words[0]) fetched(call, call.value('--from')?.text ?? words[0].text);
      call.run(words);
    },
    match: ['uvx unknown-tool', 'uvx --from git+https://h.example/x y'],
    not_match: ['uvx ruff check .', 'uvx pytest'],
  },
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
      if (call.operand(0) === 'exec')
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
    names: [
      'apt',
      'apt-get',
      'aptitude',
      'dpkg',
      'dpkg-reconfigure',
      'yum',
      'dnf',
      'rpm',
      'zypper',
      'pacman',
      'yay',
      'paru',
      'apk',
      'emerge',
      'xbps-install',
      'xbps-remove',
      'eopkg',
      'swupd',
      'snap',
      'flatpak',
      'nix-env',
      'nix-channel',
      'nix-collect-garbage',
      'guix',
      'port',
      'pkg',
      'pkg_add',
      'pkg_delete',
      'opkg',
      'tdnf',
      'microdnf',
      'rpm-ostree',
      'transactional-update',
      'add-apt-repository',
      'apt-key',
      'apt-mark',
      'update-alternatives',
      'alternatives',
      'dpkg-divert',
      'softwareupdate',
      'winget',
      'choco',
      'scoop',
      'mas',
      'installer',
    ],
    options: { values: '-o -c -t -r -p --repo --root --installroot -i' },
    rules: [
      rule('pkg.system', 'filesystem', 'It changes which programs are installed on the machine.', {
        test: (call) => {
          if (
            /^(?:dpkg-reconfigure|xbps-install|xbps-remove|pkg_add|pkg_delete|nix-collect-garbage|add-apt-repository|update-alternatives|alternatives|dpkg-divert|installer)$/.test(
              call.name,
            )
          )
            return !call.has('-l --list --display --query --get-selections -n --dry-run');
          const verbs =
            /^(?:install|reinstall|remove|purge|autoremove|autopurge|upgrade|dist-upgrade|full-upgrade|upgrade-minimal|build-dep|add|del|delete|uninstall|erase|downgrade|swap|distro-sync|group|groupinstall|groupremove|module|system-upgrade|clean|autoclean|refresh|revert|disable|enable|unmask|mask|hold|unhold|in|rm|up|dup|addrepo|ar|removerepo|rr|config-manager|override|rebase|rollback|deploy|edit-sources|adv|source|set|collect-garbage|pull|gc|connect|alias|remote-add|tap|fix|localinstall|history)$/;
          if (call.name === 'dpkg')
            return call.args.some((arg) =>
              /^-(?:i|r|P|-install|-remove|-purge|-unpack|-configure|-force-\S+|-set-selections|-clear-selections|-add-architecture|-remove-architecture|B|A)$/.test(
                arg.raw,
              ),
            );
          if (/^(?:rpm|pacman|yay|paru|nix-env|emerge|opkg)$/.test(call.name))
            return (
              call.args.some(
                (arg) =>
                  /^-(?:[a-zA-Z]*[iUeFrPSRCD][a-zA-Z]*|-(?:install|upgrade|erase|remove|purge|sync|uninstall|unmerge|depclean|configure|unpack|import|force-\S+|set|rollback|delete-generations))$/.test(
                    arg.raw,
                  ) && !/^-(?:q\w*|Q\w*|Ss|Si|F|Sl|S[sil]+|s|l|L|V|p|-query\S*|-list\S*|-search)$/.test(arg.raw),
              ) ||
              (verbs.test(call.operand(0) ?? '') && call.name === 'opkg')
            );
          return verbs.test(call.operand(0) ?? '') && !call.has('-s --simulate --dry-run --just-print --assumeno --download-only --print');
        },
      }),
      rule('option.runs', 'anything', 'One of its settings runs another program.', {
        test: (call) =>
          call.values('-o').some((value) => /(?:Pre|Post)-(?:Invoke|Install-Pkgs)|Dir::Bin|Changelog|::Pre-Invoke/.test(value.text)) ||
          call.operand(0) === 'changelog',
      }),
    ],
    match: [
      'apt-get install -y jq',
      'apt remove nginx',
      'dpkg -i x.deb',
      'rpm -e x',
      'yum erase httpd',
      'pacman -Rns x',
      'apk add curl',
      'snap install x',
      'dnf remove x',
      'add-apt-repository ppa:x/y',
      'apt-get purge x',
      'rpm -ivh http://h.example/x.rpm',
      'choco install x',
      'apt update -o APT::Update::Pre-Invoke::=id',
      'pacman -Syu',
    ],
    not_match: [
      'apt list --installed',
      'dpkg -l',
      'rpm -qa',
      'apt-cache search jq',
      'pacman -Qs x',
      'apk info',
      'dnf search x',
      'snap list',
      'apt show jq',
      'dpkg -S /bin/ls',
      'apt-get install -s jq',
      'pacman -Ss x',
    ],
  },
  {
    names: ['brew', 'linuxbrew'],
    rules: [
      global({
        when: 'install|reinstall|uninstall|remove|rm|upgrade|tap|untap|cask|link|unlink|autoremove|bundle|pin|unpin|switch|extract',
        unless: '-n --dry-run',
      }),
      rule('sys.service', 'processes', 'It changes which services run.', { when: 'services start|stop|restart|run|kill|cleanup' }),
      rule('pkg.cache', 'filesystem', 'It deletes what others have stored.', { when: 'cleanup', unless: '-n --dry-run' }),
    ],
    match: ['brew install jq', 'brew uninstall --force git', 'brew tap a/b', 'brew services stop postgresql'],
    not_match: ['brew list', 'brew info jq', 'brew --prefix', 'brew services list', 'brew search x', 'brew doctor'],
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
