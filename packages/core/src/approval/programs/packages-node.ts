import type { Call } from '../call.js';
import { hasUnknown } from '../marks.js';
import { contains } from '../paths.js';
import type { Program, Rule } from '../program.js';
import { applyRules } from '../program-rules.js';
import { runContent } from '../script-file.js';
import { elsewhere, global, publishes, rule } from './packages-common.js';

/** What `npm create` and `create-…` start new projects from every day. */
const creators =
  /^(?:vite|next-app|react-app|svelte|vue|astro|@eslint\/config|playwright|nuxt|remix|solid|t3-app|expo-app|hono|turbo|docusaurus|electron-vite|react-router|strapi-app|nx-workspace|@vitejs\/app)(?:@latest)?$/;

/** Publishers whose tools are everyday work. */
const publishers =
  /^@(?:angular|arethetypeswrong|babel|biomejs|capacitor|changesets|commitlint|eslint|expo|graphql-codegen|ionic|microsoft|nestjs|openapitools|playwright|prisma|react-native-community|redocly|remix-run|sentry|storybook|stoplight|sveltejs|swc|tailwindcss|typescript-eslint|typescript|vercel|vitejs|vitest|vue)\//;

const nodeOptions = {
  values:
    '-w --workspace --prefix --registry --userconfig --globalconfig --script-shell --node-options --cache --tag --otp --loglevel --filter -F -C --dir --cwd -p --package -c --call --browser --shell --store-dir --virtual-store-dir --global-dir --access --omit --include --before',
  complete: '--global',
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
    test: (call) => !call.operand(1)?.startsWith('-') && !creators.test(call.operand(1) ?? ''),
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
  /^(?:typescript|rolldown|vitest|jest|mocha|ava|tap|c8|nyc|eslint|prettier|biome|tsc|tsx|ts-node|tsup|tsdown|esbuild|rollup|vite|webpack|parcel|turbo|nx|lerna|changeset|playwright|cypress|storybook|sb|next|nuxt|astro|remix|svelte-kit|svelte-check|vue-tsc|ng|gatsby|eleventy|tailwindcss|postcss|sass|stylelint|markdownlint|markdownlint-cli|cspell|knip|depcheck|npm-check-updates|ncu|license-checker|typedoc|jsdoc|swagger-cli|openapi-generator-cli|openapi-typescript|graphql-codegen|prisma|drizzle-kit|typeorm|knex|sequelize-cli|husky|lint-staged|commitlint|semantic-release|standard|xo|oxlint|tslint|madge|dependency-cruiser|size-limit|bundlesize|lighthouse|http-server|serve|json-server|nodemon|pm2|concurrently|wait-on|cross-env|dotenv|rimraf|mkdirp|shx|npm-run-all|patch-package|syncpack|sort-package-json|publint|attw|are-the-types-wrong|tsd|expo|react-native|cap|electron|electron-builder|wrangler|vercel|netlify|firebase|supabase|degit|tsc-watch|depcheck|nest|hygen|plop|shadcn|shadcn-ui|envinfo|only-allow|cowsay|tsgo|buf|zx|wdio|karma|gulp|grunt|babel|swc|pkgroll|unbuild|mkdist|api-extractor|zod|ultracite|skott|taze|bumpp|release-it|np|speedscope|clinic|autocannon|pino-pretty|tldr|gitmoji|prettier-package-json)(?:@[\w.^~-]+)?$/;

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
  else if (fetches && !everyday.test(name) && !publishers.test(name) && !(name.startsWith('create-') && creators.test(name.slice(7))))
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
  } else if (call.name === 'bun' && call.stdin && call.args.some((arg) => arg.raw === '-'))
    runContent(call, call.stdin, { language: 'node' });
  else if (call.name === 'bun' && (call.has('-e --eval -p --print') || verb === undefined)) {
    const code = call.options.find((option) => /^(?:-e|--eval|-p|--print)$/.test(option.name));
    const text = code?.value ?? call.args[(code?.index ?? -1) + 1];
    if (code && text) call.code('node', text.raw);
  }
}

export const packagesNode: readonly Program[] = [
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
      "bun run - <<< \"require('child_process').execSync('id')\"",
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
      'npm ls --global',
    ],
  },
  {
    names: ['npx', 'pnpx', 'bunx', 'dlx'],
    options: runnerOptions,
    wrapper: true,
    check: nodeRunner,
    match: [
      'npx -y unknown-tool',
      'npx -y create-unknown-thing',
      'npx -y @unknown/tool',
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
      'npx -y create-vite@latest app',
      'npx -y @biomejs/biome check .',
    ],
  },
];
