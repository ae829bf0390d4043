/** How long a reader may rest before its command is halted, and how often that is looked at. */
const restMs = 15;
const lookEveryMs = 5;

/**
 * Halts a command while its reader rests, for places that send ahead of it. `restingMs`: for how long nothing has been read of what is
 * there; `send` delivers signals in their order.
 */
export function brake(restingMs: () => number, send: (signal: 'STOP' | 'CONT') => void, ended: Promise<unknown>): void {
  let halted = false;
  const look = setInterval(() => {
    const resting = restingMs() > restMs;
    if (resting === halted) return;
    halted = resting;
    send(halted ? 'STOP' : 'CONT');
  }, lookEveryMs);
  look.unref();
  void ended.then(() => {
    clearInterval(look);
    // A command can end as it is halted; what it has left running in the background is not to stand still for ever.
    if (halted) send('CONT');
  });
}
