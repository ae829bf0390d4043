/** The one file that knows the parser. Everything else sees the syntax tree through the types below. */
import { forEachChild, type ParsedScript, parse, type SyntaxNode } from 'unbash';

export type {
  ArithmeticExpression,
  Assignment,
  BraceExpansionPart,
  Command,
  CommandArgument,
  CommandNode,
  HereDoc,
  ParameterExpansionPart,
  ParsedScript,
  PipelineNode,
  Redirect,
  Redirection,
  Statement,
  SyntaxNode,
  TestExpression,
  Word,
  WordPart,
} from 'unbash';

/** Parses a text, or gives undefined when the parser itself fails. Errors that it finds stand in `errors` of the script. */
export function parseScript(text: string): ParsedScript | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

export const hasErrors = (script: ParsedScript): boolean => (script.errors?.length ?? 0) > 0;

/** Whether a word breaks off before a substitution in it ends. */
export function endsWithinSubstitution(text: string): boolean {
  if (!/[$<>]\(|\$\{|`/.test(text)) return false;
  const script = parseScript(`: ${text}`);
  return script === undefined || hasErrors(script);
}

/**
 * Where a text has more substitutions within each other than `most`, or undefined. The parser reads each level again, so that depth costs
 * more than length.
 */
export function tooDeepAt(text: string, most: number): number | undefined {
  const closers: string[] = [];
  const marks = /[$<>]\(|\$\{|[)}]/g;
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    const mark = match[0];
    if (mark.length === 2) {
      closers.push(mark.endsWith('(') ? ')' : '}');
      if (closers.length > most) return match.index;
    } else if (closers[closers.length - 1] === mark) closers.pop();
  }
  return undefined;
}

/** Visits a node and everything below it with a stack of its own, so that depth of nesting cannot overflow. `enter` says whether to go on below. */
export function sweep(root: SyntaxNode, enter: (node: SyntaxNode) => boolean): void {
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (!enter(node)) continue;
    const children: SyntaxNode[] = [];
    forEachChild(node, (child) => {
      children.push(child);
    });
    for (let index = children.length - 1; index >= 0; index--) stack.push(children[index] as SyntaxNode);
  }
}
