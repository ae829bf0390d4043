import type { Call } from '../call.js';
import type { Program, Rule } from '../program.js';
import { applyRules } from '../program-rules.js';
import { elsewhere, fetched, global, publishes, rule } from './packages-common.js';

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

export const packagesPython: readonly Program[] = [
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
];
