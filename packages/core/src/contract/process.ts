/** Why a command is over. `exited` is the only one with an exit code for sure. */
export type Ended = 'exited' | 'signaled' | 'timed-out' | 'idle-timed-out' | 'aborted' | 'disconnected' | 'out-of-memory' | 'destroyed';

export type CommandSignal = 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP' | 'SIGQUIT' | 'SIGUSR1' | 'SIGUSR2' | 'SIGSTOP' | 'SIGCONT';
