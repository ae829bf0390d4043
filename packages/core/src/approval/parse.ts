/** The one file that knows the parser. Everything else sees the syntax tree through the types below. */
import { forEachChild, parse, type ParsedScript, type SyntaxNode } from 'unbash';

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
