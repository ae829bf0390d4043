import type { CompletedCommand } from './words.js';

/** Words of commands hold letters and dashes alone, so that they need no quotes. */
export function bashCompletion(commands: readonly CompletedCommand[], backends: readonly string[]): string {
  const tops = commands.filter(({ path }) => path.length === 1).map(({ path }) => path[0]);
  const cases = commands.map(({ path, options }) => {
    const below = commands
      .filter((other) => other.path.length === 2 && path.length === 1 && other.path[0] === path[0])
      .map((other) => other.path[1]);
    const flags = options.map(({ long }) => `--${long}`);
    return `    '${path.join(' ')}') words='${[...below, ...flags].join(' ')}' ;;`;
  });
  const groups = [...new Set(commands.filter(({ path }) => path.length === 2).map(({ path }) => path[0]))];
  const valued = [
    ...new Set(commands.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue).map(({ long }) => `--${long}`))),
  ];
  return `# bash completion for petasos: source <(petasos completion bash)
_petasos() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' word skip=0 index
  COMPREPLY=()
  case $previous in
    --sandbox|-s) COMPREPLY=($(compgen -W '${backends.join(' ')}' -- "$current")); return ;;
    --cwd|--options|--badge|--svg) COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${valued.filter((flag) => !['--sandbox', '--cwd', '--options', '--badge', '--svg'].includes(flag)).join('|')}) return ;;
  esac
  for ((index = 1; index < COMP_CWORD; index += 1)); do
    word=\${COMP_WORDS[index]}
    if ((skip)); then skip=0; continue; fi
    case $word in
      --) COMPREPLY=($(compgen -f -- "$current")); return ;;
      ${valued.join('|')}|-s) skip=1 ;;
      -*) ;;
      *) if [[ -z $path ]]; then path=$word
         elif [[ " ${groups.join(' ')} " == *" $path "* ]]; then path="$path $word"; break
         else break; fi ;;
    esac
  done
  case $path in
    '') words='${[...tops, '--help', '--version', '--sandbox', '--verbose'].join(' ')}' ;;
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if ((\${#COMPREPLY[@]} == 0)); then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -F _petasos petasos
`;
}
