import { parseScript, sweep } from '../approval/parse.js';

/**
 * The functions that a command defines, as text by name. A shell that knows only POSIX cannot print its functions, so a session
 * keeps them from the commands' own text; those that a command sources from a file stay unknown.
 */
export function functionDefinitions(command: string): ReadonlyMap<string, string> {
  const definitions = new Map<string, string>();
  if (!command.includes('(')) return definitions;
  const script = parseScript(command);
  if (!script) return definitions;
  sweep(script, (node) => {
    if (node.type !== 'Function') return true;
    definitions.set(node.name.value, command.slice(node.pos, node.end));
    return false;
  });
  return definitions;
}
