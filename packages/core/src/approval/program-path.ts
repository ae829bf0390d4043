import type { Payload, Surroundings } from './call.js';
import { isKnown } from './flow.js';
import { basename, contains, locate } from './paths.js';
import { temporaryTrees } from './places.js';
import type { Program } from './program.js';

/** Where programs are that a person installed: any directory named so, unless everyone may write to it. */
const programDirectory = /\/(?:s?bin|shims|libexec|games|\.bin|MacOS|Commands|Scripts)$/;

/** A program named by a path. The name says which program it seems to be, the path whether it can be believed. */
export function judgeProgramPath(
  raw: string,
  program: Program | undefined,
  at: Surroundings,
  shell: (text: string, payload: Payload) => void,
): void {
  const path = locate(raw, at.scope.cwd);
  const written = at.written(path);
  at.script(path, '');
  if (written) {
    if (isKnown(written)) runWritten(written.text, at, shell);
    else
      at.report({
        rule: 'exec.written-file',
        reach: 'anything',
        reason: 'It runs a file that this same text wrote or fetched, and whose content cannot be known.',
        durable: false,
      });
    return;
  }
  const directory = path.slice(0, path.lastIndexOf('/'));
  if (temporaryTrees.some((tree) => contains(tree, path))) {
    at.report({
      rule: 'exec.outside-project',
      reach: 'anything',
      reason: `It runs a program from a directory where anyone can write: ${path}.`,
      durable: false,
    });
    return;
  }
  if (programDirectory.test(directory)) return;
  const project = at.context.project ?? at.context.cwd;
  if (!path.startsWith('/') || contains(project, path)) {
    if (program && !program.fleeting && !program.inProject && raw === `./${basename(raw)}`) {
      at.report({
        rule: 'exec.lookalike',
        reach: 'anything',
        reason: `${raw} has the name of a well-known program, but is another file.`,
        durable: false,
      });
    }
    return;
  }
  if (
    /^\/(?:usr|opt|nix|snap|Applications|System|Library|lib|lib64)\//.test(path) ||
    (contains(at.context.home, path) &&
      /^\/\.(?:nvm|pyenv|rbenv|asdf|local|cargo|rustup|volta|sdkman|deno|bun|npm|dotnet|nix-profile|fnm)\//.test(
        path.slice(at.context.home.length),
      ))
  )
    return;
  at.report({
    rule: 'exec.outside-project',
    reach: 'anything',
    reason: `It runs a program from outside of the project: ${path}.`,
    durable: false,
  });
}

function runWritten(text: string, at: Surroundings, shell: (text: string, payload: Payload) => void): void {
  const interpreter = /^#!\s*(?:\S*\/)?(?:env\s+(?:-\S+\s+)*)?([\w.+-]+)/.exec(text)?.[1] ?? 'sh';
  if (/^(?:ba|da|z|k|a|mk)?sh$/.test(interpreter)) shell(text, { label: 'script' });
  else at.runCode(interpreter.replace(/[\d.]+$/, ''), text);
}
