import { isPetasosError, PetasosError } from '@petasos/core/backend';
import { type Endpoint, endpointName } from './endpoint.js';

/** The HTTP status with which the engine refused, for an error that {@link refusal} made. */
export function statusOf(error: unknown): number | undefined {
  if (!isPetasosError(error)) return undefined;
  const { status } = error.data;
  return typeof status === 'number' ? status : undefined;
}

/** The engine answered, and the answer is no. Its own words are for people; programs branch on the status. */
export function refusal(what: string, status: number, message: string): PetasosError {
  return new PetasosError('place-failed', `docker refuses to ${what}: ${message || `status ${status}`}`, {
    backend: 'docker',
    data: { status },
  });
}

/** The engine could not be asked at all, or has not answered. */
export function unreachable(endpoint: Endpoint, cause: unknown): PetasosError {
  const code = (cause as NodeJS.ErrnoException).code;
  const name = endpointName(endpoint);
  return new PetasosError('unavailable', `no Docker engine answers at ${name} (${endpoint.source}): ${reasonOf(code, cause)}`, {
    backend: 'docker',
    retryable: code !== 'EACCES' && code !== 'ENOENT',
    remedy: remedyFor(endpoint, code),
    cause,
  });
}

function reasonOf(code: string | undefined, cause: unknown): string {
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not open it';
  if (code === 'ENOENT') return 'there is no such socket';
  if (code === 'ECONNREFUSED') return 'nobody listens';
  return cause instanceof Error ? cause.message : String(cause);
}

function remedyFor(endpoint: Endpoint, code: string | undefined): string {
  if (code === 'EACCES' || code === 'EPERM')
    return 'Add yourself to the group docker (sudo usermod -aG docker "$USER", then log in again), or use rootless Docker.';
  if (endpoint.kind === 'tcp') return 'Check the address, the certificates and that the engine runs.';
  return 'Start Docker (systemctl start docker, or Docker Desktop), or set DOCKER_HOST to the engine that runs.';
}

/** The connection broke in the middle of something. */
export function lost(what: string, cause: unknown): PetasosError {
  return new PetasosError('disconnected', `the connection to docker was lost while it was to ${what}`, {
    backend: 'docker',
    retryable: true,
    remedy: 'Try again; the sandbox itself may still run.',
    cause,
  });
}
