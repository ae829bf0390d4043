import type { Call } from '../call.js';
import type { Rule } from '../program.js';

export const rule = (id: string, reach: Rule['reach'], reason: string, more: Partial<Rule> = {}): Rule => ({ id, reach, reason, ...more });

export const publishes = (when: string, more: Partial<Rule> = {}): Rule =>
  rule('registry.publish', 'remote-service', 'It publishes or withdraws a package, or changes who may.', {
    when,
    unless: '--dry-run',
    ...more,
  });

export const global = (more: Partial<Rule>): Rule =>
  rule('pkg.global', 'filesystem', 'It installs for the whole machine or user, outside of the project.', more);

export const elsewhere = (option: string): Rule =>
  rule('pkg.index', 'anything', 'It takes packages from another place than usual, and installing runs their code.', { option });

const pythonTools =
  /^(?:ruff|black|isort|mypy|pytest|flake8|pylint|pyright|bandit|pre-commit|tox|nox|cookiecutter|httpie|poetry|pdm|hatch|build|twine|mkdocs|sphinx-build|jupyter|ipython|pip-audit|vulture|coverage|codespell|pyupgrade|ty|basedpyright|marimo|datasette|sqlfluff|yamllint|djlint|cruft|uv|pip-tools|pip-compile)(?:[@=<>].*)?$/;

export function fetched(call: Call, name: string): void {
  if (!pythonTools.test(name)) call.report('pkg.fetch-and-run', 'anything', `It fetches ${name} and runs it at once.`, { durable: false });
}
