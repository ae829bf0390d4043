import type { WebSocket } from 'ws';
import type { Fault } from '../core/index.js';
import { type SessionCommand, type Sessions, stdoutMarker } from './sessions.js';

const frameBytes = 1024;
const lookMs = 20;

/**
 * Follows a command's log over a WebSocket. Own faults: `early-close` ends it while the command runs, `replay` sends a prefix again,
 * `big-frame` sends all in one frame.
 */
export async function followLog(sessions: Sessions, command: SessionCommand, socket: WebSocket, fault: Fault | undefined): Promise<void> {
  const own = fault?.kind === 'own' ? fault.name : undefined;
  let sent = 0;
  let open = true;
  socket.on('close', () => {
    open = false;
  });
  const send = (bytes: Buffer) => socket.send(bytes, { binary: true });
  while (open) {
    const ended = sessions.exitCode(command) !== undefined;
    const log = sessions.log(command);
    const size = own === 'big-frame' ? log.length : frameBytes;
    while (sent < log.length && open) {
      const frame = log.subarray(sent, sent + size);
      if (fault?.kind === 'cut-stream' && sent + frame.length >= fault.afterBytes) return cut(socket, fault.how);
      if (own === 'replay' && sent > 0) {
        send(Buffer.concat([stdoutMarker, log.subarray(3, Math.min(sent, 64))]));
      }
      send(frame);
      sent += frame.length;
    }
    if (own === 'early-close' && sent > 0) return socket.close(1000);
    // What the labelling loops still hold follows the recorded end closely.
    if (ended && sent === sessions.logLength(command)) {
      await pause(lookMs * 3);
      if (sent === sessions.logLength(command)) return socket.close(1000);
    }
    await pause(lookMs);
  }
}

function cut(socket: WebSocket, how: 'reset' | 'end' | 'stall'): void {
  if (how === 'reset') socket.terminate();
  else if (how === 'end') socket.close(1011);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
