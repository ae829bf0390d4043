/** Exit statuses of Petasos itself. A command's own status passes through unchanged. */
export const exitStatus = {
  ok: 0,
  failed: 1,
  usage: 2,
  timedOut: 124,
  placeFailed: 125,
  notApproved: 126,
  interrupted: 130,
  brokenPipe: 141,
} as const;
