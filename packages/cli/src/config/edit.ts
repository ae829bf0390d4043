import { type Document, isMap, isScalar, Scalar, stringify } from 'yaml';
import { checkConfig } from './file.js';
import { replaceFile } from './replace-file.js';
import { parseYaml, readText, type YamlFile } from './yaml-text.js';

/** A change as text; undefined when there is nothing to change. */
export type Change = (file: YamlFile) => string | undefined;

/**
 * Applies one change to a configuration file and keeps everything else as it is: comments, order, line ends. A file that
 * is broken is not touched.
 * @returns whether the file was changed
 */
export async function editConfig(path: string, change: Change): Promise<boolean> {
  const file = parseYaml(path, (await readText(path)) ?? '');
  checkConfig(file);
  const after = change(file);
  if (after === undefined) return false;
  // What is written must be readable again: better no change than one that locks the user out.
  checkConfig(parseYaml(path, after));
  await replaceFile(path, after);
  return true;
}

function render({ document, text }: YamlFile): string {
  const body = document.toString({ lineWidth: 0, indent: indentOf(text), indentSeq: !/^([ ]*)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(text) });
  const unixEnds = body.startsWith('\uFEFF') || !text.startsWith('\uFEFF') ? body : `\uFEFF${body}`;
  return text.includes('\r\n') ? unixEnds.replace(/\r?\n/g, '\r\n') : unixEnds;
}

/** How deep the file indents already. */
function indentOf(text: string): number {
  const width = /^( +)[^\s#-]/m.exec(text)?.[1]?.length ?? 2;
  return Math.min(Math.max(width, 1), 8);
}

export function setValue(key: string, value: unknown): Change {
  return (file) => {
    const { document } = file;
    const path = pathOf(document, key);
    const current = document.getIn(path, true);
    if (isScalar(current) && current.value === value) return undefined;
    const spliced = isScalar(current) ? replaceScalar(file, current, path, value) : undefined;
    if (spliced !== undefined) return spliced;
    if (!isMap(document.contents)) document.contents = document.createNode({});
    makeSections(document, path);
    document.setIn(path, document.createNode(value));
    return render(file);
  };
}

/** Exchanges the characters of a value on one line, so that not even the file's own way of indenting changes. */
function replaceScalar({ path: name, text }: YamlFile, current: Scalar, path: readonly string[], value: unknown): string | undefined {
  const [start, end] = current.range ?? [];
  if (start === undefined || end === undefined || start === end || (typeof value === 'object' && value !== null)) return undefined;
  if (current.type === Scalar.BLOCK_LITERAL || current.type === Scalar.BLOCK_FOLDED) return undefined;
  // Between brackets a comma would end a plain text: there it takes quotes.
  for (const written of [stringify(value, { version: '1.1', lineWidth: 0 }).trimEnd(), JSON.stringify(value)]) {
    const after = text.slice(0, start) + written + text.slice(end);
    if (reads(name, after, path) === value) return after;
  }
  return undefined;
}

function reads(name: string, text: string, path: readonly string[]): unknown {
  try {
    return parseYaml(name, text).document.getIn(path);
  } catch {
    return undefined;
  }
}

export function unsetValue(key: string): Change {
  return (file) => {
    const { document } = file;
    const path = pathOf(document, key);
    if (!document.hasIn(path)) return undefined;
    document.deleteIn(path);
    for (let depth = path.length - 1; depth > 0; depth -= 1) {
      const section = document.getIn(path.slice(0, depth));
      if (!isMap(section) || section.items.length > 0) break;
      document.deleteIn(path.slice(0, depth));
    }
    return isMap(document.contents) && document.contents.items.length === 0 ? emptied(file) : render(file);
  };
}

/** A file without keys still has its comments; `{}` would only puzzle its owner. */
function emptied({ document }: YamlFile): string {
  const comments = [document.commentBefore, document.comment].filter((comment) => typeof comment === 'string');
  return comments.flatMap((comment) => comment.split('\n').map((line) => `#${line}\n`)).join('');
}

/** `options.acme.a.b` is option `a.b` of `acme`; everything else has one section at most. */
function pathOf(document: Document, key: string): string[] {
  // A file that uses the long form keeps it, so that the two never disagree.
  if (key === 'sandbox' && document.hasIn(['terminal', 'backend']) && !document.has('sandbox')) return ['terminal', 'backend'];
  if (key === 'terminal.backend' && document.has('sandbox')) return ['sandbox'];
  const [section = '', ...rest] = key.split('.');
  if (section !== 'options') return key.split('.');
  const [backend = '', ...option] = rest;
  return [section, backend, option.join('.')];
}

/** An empty section (`terminal:` with nothing below) is null until something is put into it. */
function makeSections(document: Document, path: readonly string[]): void {
  for (let depth = 1; depth < path.length; depth += 1) {
    const part = path.slice(0, depth);
    if (!isMap(document.getIn(part))) document.setIn(part, document.createNode({}));
  }
}
