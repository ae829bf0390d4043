import { type SyntaxNode, sweep } from './parse.js';
import type { Scope } from './scope.js';

export function defineFunction(name: string, body: SyntaxNode, scope: Scope): void {
  scope.defineFunction(name, body);
}

/** A function that pipes itself into itself, or calls itself in the background more than once, multiplies without end. */
export function runsItself(name: string, body: SyntaxNode): boolean {
  let calls = 0;
  let background = false;
  let piped = false;
  sweep(body, (node) => {
    if (node.type === 'Command' && node.name?.value === name) calls++;
    else if (node.type === 'Statement' && node.background) background = true;
    else if (node.type === 'Pipeline') {
      const own = node.commands.filter((command) => command.type === 'Command' && command.name?.value === name);
      if (own.length >= 2) piped = true;
    }
    return true;
  });
  return piped || (background && calls >= 2) || (background && calls === 1 && /^[^\w]$/.test(name));
}
