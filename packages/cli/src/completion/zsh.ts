import type { CompletedCommand } from './words.js';

export function zshCompletion(commands: readonly CompletedCommand[], backends: readonly string[]): string {
  const describe = (entries: readonly { readonly name: string; readonly help: string }[]) =>
    entries.map(({ name, help }) => `      ${quoted(`${name.replaceAll(':', '\\:')}:${help}`)}`).join('\n');
  const tops = commands.filter(({ path }) => path.length === 1);
  const cases = commands.map(({ path, options }) => {
    const below = path.length === 1 ? commands.filter((other) => other.path.length === 2 && other.path[0] === path[0]) : [];
    const words = [
      ...below.map(({ path: [, name = ''], summary }) => ({ name, help: summary })),
      ...options.map(({ long, help }) => ({ name: `--${long}`, help })),
    ];
    return `    ${quoted(path.join(' '))}) entries=(\n${describe(words)}\n    ) ;;`;
  });
  const groups = [...new Set(commands.filter(({ path }) => path.length === 2).map(({ path }) => path[0]))];
  return `#compdef petasos
# zsh completion for petasos: petasos completion zsh > a file named _petasos in a directory of $fpath
_petasos() {
  local -a entries
  local line='' word previous=\${words[CURRENT-1]}
  case $previous in
    --sandbox|-s) compadd -- ${backends.join(' ')}; return ;;
  esac
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $word in
      --) _files; return ;;
      -*) ;;
      *) if [[ -z $line ]]; then line=$word
         elif [[ " ${groups.join(' ')} " == *" $line "* ]]; then line="$line $word"; break
         else break; fi ;;
    esac
  done
  case $line in
    '') entries=(
${describe(tops.map(({ path: [name = ''], summary }) => ({ name, help: summary })))}
    ) ;;
${cases.join('\n')}
  esac
  _describe petasos entries || _files
}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then _petasos "$@"; else compdef _petasos petasos; fi
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
