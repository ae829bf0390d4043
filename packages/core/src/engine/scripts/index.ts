import command from './command.sh?raw';
import end from './end.sh?raw';
import job from './job.sh?raw';
import jobLaunch from './job-launch.sh?raw';
import jobOutput from './job-output.sh?raw';
import jobPoll from './job-poll.sh?raw';
import jobRead from './job-read.sh?raw';
import jobSignal from './job-signal.sh?raw';
import jobStart from './job-start.sh?raw';
import jobState from './job-state.sh?raw';
import lane from './lane.sh?raw';
import sessionBash from './session-bash.sh?raw';
import sessionSh from './session-sh.sh?raw';
import tree from './tree.sh?raw';

/** Without comments and indentation: the script travels as one argument each time a lane opens. */
function compact(script: string): string {
  return script
    .split('\n')
    .map((line) => line.trimStart())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .join('\n');
}

function script(...parts: readonly string[]): string {
  return parts.map(compact).join('\n');
}

const laneScript = script(tree, command, lane);

/**
 * Hands over to bash where it exists: only there a command gets a process group without another program's help. Bash takes a socket as
 * its stdin, or the environment of an SSH session, for a remote login and would read the user's start-up file.
 */
const findShell =
  'petasos_b=$(command -v bash 2>/dev/null) && exec "$petasos_b" --norc -c "$1" petasos-lane "$petasos_b"\npetasos_s=$1; set -- ""; eval "$petasos_s"';

/** `bash` is the path found by an earlier lane of the same place, null where there is none, undefined when not known yet. */
export function laneArguments(bash: string | null | undefined): [string, ...string[]] {
  if (bash) return [bash, '--norc', '-c', laneScript, 'petasos-lane', bash];
  return ['/bin/sh', '-c', findShell, 'petasos-lane', laneScript];
}

/**
 * Arguments of a process that ends every process of a sandbox, wherever it went: their environment carries the sandbox's id.
 * For a backend's `destroy`, run in the place.
 */
export function endProcessesArguments(sandboxId: string, graceMs: number): [string, ...string[]] {
  return ['/bin/sh', '-c', script(tree, end), 'petasos-end', sandboxId, String(graceMs)];
}

/** The scripts of the job runner; each says at its top which arguments it takes. */
export const jobScripts = {
  supervisor: script(tree, command, job),
  start: script(jobStart),
  launch: script(jobOutput, jobStart, jobLaunch, jobPoll),
  state: script(jobState),
  read: script(jobOutput, jobRead),
  poll: script(jobOutput, jobPoll),
  signal: script(tree, jobSignal),
} as const;

/** The script that runs one command of a stateful session under this kind of shell. */
export const sessionScripts = { bash: script(sessionBash), sh: script(sessionSh) } as const;
