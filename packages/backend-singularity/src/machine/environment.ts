import type { HostInfo } from '@petasos/core/backend';

/** What a program needs to find itself and its files. */
const inherited =
  /^(?:HOME|LOGNAME|PATH|SHELL|TMPDIR|USER|XDG_STATE_HOME|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|LD_LIBRARY_PATH|SLURM_CONF|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY)$/;
/** How the user has set up the container program, its registry credentials included; the commands inside see none of it. */
const settings =
  /^(?:APPTAINER|SINGULARITY)_(?:CACHEDIR|TMPDIR|CONFIGDIR|DOCKER_USERNAME|DOCKER_PASSWORD|AUTHFILE|LIBRARY|NOHTTPS|DISABLE_CACHE|PULLDIR)$/;

/** The environment of every program that is started on the machine. Binds and container variables of the caller's stay out. */
export function machineEnvironment(hostEnv: HostInfo['env']): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(hostEnv))
    if (value !== undefined && (inherited.test(name) || settings.test(name))) env[name] = value;
  return env;
}
