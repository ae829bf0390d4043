import type { Call } from './call.js';
import { isKnown } from './flow.js';
import { show } from './marks.js';
import { basename, contains, isKnownPath, locate } from './paths.js';
import { temporaryTrees } from './places.js';
import type { Arg } from './word.js';

/** Files that people read into their shell: virtual environments, settings, version managers. */
const environmentFile =
  /^(?:activate(?:\.\w+)?|\.?env(?:\.[\w.-]+)?|\.envrc|[\w.-]*[-_.]?env(?:ironment)?(?:[-_.][\w-]+)?(?:\.(?:ba|z)?sh)?|\.(?:ba|z)shrc|\.(?:bash_|z)?profile|\.zshenv|nvm\.sh|setup(?:vars|-env)?\.(?:ba|z)?sh|export\.sh|conda\.sh|asdf\.sh|sdkman-init\.sh|cargo-env|bash_completion|[\w-]+\.bash|completion[\w.-]*|venv)$/;

/** A shell or another interpreter runs a file: its content if this text wrote it, else by where it is. */
export function runFile(
  call: Call,
  operand: Arg,
  interpreter: string,
  more: { language?: string; positional?: readonly string[]; sourced?: boolean } = {},
): void {
  const path = locate(operand.raw, call.scope.cwd);
  call.at.script(isKnownPath(path) ? path : undefined, more.sourced ? 'source' : interpreter);
  const content = call.at.written(path) ?? call.at.descriptor(path) ?? (isStdin(path) ? call.stdin : undefined);
  if (content) {
    runContent(call, content, more);
    return;
  }
  const ask = (rule: string, reason: string): void =>
    call.report(rule, 'anything', reason, { durable: false, ...(isKnownPath(path) ? { paths: [show(path)] } : {}) });
  if (isStdin(path)) ask('exec.pipe-to-shell', 'It runs whatever stands on its input.');
  else if (call.scope.elsewhere && operand.literal) return;
  else if (!isKnownPath(path)) {
    if (!operand.glob || !path.startsWith('/'))
      ask('exec.dynamic-script', `${interpreter} runs a file whose path cannot be known beforehand.`);
  } else if (more.sourced) {
    const installed = /^\/(?:usr|opt|etc)\//.test(path);
    if (!installed && (temporaryTrees.some((tree) => contains(tree, path)) || !environmentFile.test(basename(path)))) {
      ask('exec.source', `It reads ${show(path)} into this shell and runs what stands in it.`);
    }
  } else if (
    !contains(call.at.context.project ?? call.at.context.cwd, path) &&
    !/^\/(?:usr|opt|nix|snap|Applications|Library|System)\//.test(path)
  ) {
    ask('exec.script-outside', `${interpreter} runs a file from outside of the project: ${show(path)}.`);
  }
}

const isStdin = (path: string): boolean => /^\/dev\/(?:stdin|fd\/0)$|^\/proc\/self\/fd\/0$/.test(path);

/** Code that arrives as data: read where it is known, asked about where it is not. */
export function runContent(
  call: Call,
  content: NonNullable<Call['stdin']>,
  more: { language?: string; positional?: readonly string[]; sourced?: boolean } = {},
): void {
  const fetched = content.sources.has('network');
  if (fetched || !isKnown(content)) {
    const reason = fetched
      ? 'It runs code straight from the network.'
      : 'It runs code that arrives as data and cannot be known beforehand.';
    call.report('exec.pipe-to-shell', 'anything', reason, {
      durable: false,
      ...(fetched ? { alternative: 'Save it to a file, read it, then run the file.' } : {}),
    });
  } else if (content.sources.has('decoded')) {
    call.report('exec.decoded', 'anything', 'It runs code that is hidden by an encoding.', { durable: false });
  }
  if (content.text === undefined) return;
  if (more.language) call.code(more.language, content.text);
  else call.shell(content.text, { positional: more.positional ?? [], sameShell: more.sourced, ownProcess: !more.sourced, stdin: content });
}
