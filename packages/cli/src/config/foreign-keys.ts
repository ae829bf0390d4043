import type { ConfigKey, KeyType } from './key-types.js';

function unused(key: string, type: KeyType, neutral: unknown, why: string, variable?: string): ConfigKey {
  return { key, type, effect: { kind: 'none', why }, help: `no effect: ${why}`, neutral, ...(variable === undefined ? {} : { variable }) };
}

function terminal(name: string, type: KeyType, neutral: unknown, why: string, carried = true): ConfigKey {
  return unused(`terminal.${name}`, type, neutral, why, carried ? `TERMINAL_${name.toUpperCase()}` : undefined);
}

const atStart = 'commands run without start-up files';
const nobody = 'where nobody can answer, the answer is no';
const scanner = 'Petasos judges commands itself and calls no scanner';
const output = 'what is kept of an output is up to the program that asks for it';
const bubblewrap = 'there is no backend for bubblewrap';

/**
 * Keys of existing files that say nothing to Petasos. They are known so that such a file can be read as it is; one that was changed from
 * its default is reported by name.
 */
export const foreignKeys: readonly ConfigKey[] = [
  terminal('modal_mode', 'string', 'auto', 'Petasos always talks to Modal directly'),
  terminal('degraded_mode', 'string', 'warn', 'a place that fails is always an error'),
  terminal('temp_dir', 'string', '', 'TMPDIR decides where temporary files go'),
  terminal('credential_files', 'list', [], 'no file is copied into a place by itself', false),
  terminal('home_mode', 'string', 'auto', "commands always have the place's own home directory"),
  terminal('shell_init_files', 'list', [], atStart, false),
  terminal('auto_source_bashrc', 'boolean', true, atStart, false),
  terminal('font_family', 'string', '', 'it belongs to a desktop program', false),
  terminal('persistent_shell', 'boolean', true, 'every petasos shell is a session of its own'),
  terminal('sandbox_dir', 'string', '', 'XDG_STATE_HOME decides where Petasos keeps its files'),
  terminal('env_type', 'string', '', 'terminal.backend names the place', false),
  terminal('sudo_password', 'string', '', 'a password does not belong in this file, and Petasos hands none to sudo', false),
  terminal('docker_persist_across_processes', 'boolean', true, 'a sandbox of a name is always used again; --rm makes a fresh one'),
  terminal('docker_orphan_reaper', 'boolean', true, 'a container that nobody uses ends by itself'),
  terminal('docker_shared_container_key', 'string', '', 'whoever gives the same --name shares a container'),
  terminal('bubblewrap_profile', 'string', 'network', bubblewrap),
  terminal('bubblewrap_binds', 'list', [], bubblewrap),
  terminal('bubblewrap_memory_mb', 'integer', 256, bubblewrap),
  terminal('bubblewrap_cpu_seconds', 'integer', 30, bubblewrap),
  terminal('bubblewrap_max_procs', 'integer', 256, bubblewrap),

  unused('approvals.cron_mode', 'string', 'deny', nobody),
  unused('approvals.single_query_mode', 'string', 'deny', nobody),
  unused('approvals.unattended_mode', 'string', 'deny', nobody),
  unused('approvals.smart_policy', 'string', '', 'no language model is asked'),
  unused('approvals.denial_breaker_threshold', 'integer', 3, 'three denials in a row always stop what would be asked'),
  unused('approvals.mcp_reload_confirm', 'boolean', true, 'it belongs to a chat program'),
  unused('approvals.destructive_slash_confirm', 'boolean', true, 'it belongs to a chat program'),
  {
    key: 'approvals.deny',
    type: 'list',
    neutral: [],
    help: 'refused: write deny rules instead',
    effect: {
      kind: 'refused',
      why: 'patterns over the text of a command are not read here, and leaving them out would allow what they deny',
      remedy: 'Write them as deny rules (petasos config import does it), and take the key out.',
    },
  },
  {
    key: 'command_allowlist',
    type: 'list',
    neutral: [],
    help: 'refused: write allow rules instead',
    effect: {
      kind: 'refused',
      why: 'patterns over the text of a command are not read here',
      remedy: 'Write them as allow rules (petasos config import does it), and take the key out.',
    },
  },

  unused('security.approval', 'map', { transport: 'builtin', transport_fallback: 'deny' }, 'questions are put on the terminal'),
  unused('security.tirith_enabled', 'boolean', true, scanner),
  unused('security.tirith_path', 'string', 'tirith', scanner),
  unused('security.tirith_timeout', 'integer', 5, scanner),
  unused('security.tirith_fail_open', 'boolean', true, scanner),
  unused('security.redact_secrets', 'boolean', true, 'values of secrets are always taken out of the record'),
  unused('security.protected_instruction_files', 'boolean', true, 'files with instructions are always protected'),
  unused('security.protected_instruction_extra_patterns', 'list', [], 'write a rule instead'),
  unused('tool_output.max_bytes', 'integer', 50_000, output),
  unused('tool_output.max_lines', 'integer', 2000, output),
  unused('tool_output.max_line_length', 'integer', 2000, output),
  unused('_config_version', 'integer', undefined, 'it is the version of another program'),
];

const noEffect = 'has no effect';

/** Variables of other programs that people set for what Petasos does: each is named when it is set. */
export const foreignVariables: Readonly<Record<string, string>> = {
  TERMINAL_MAX_FOREGROUND_TIMEOUT: `${noEffect}: terminal.timeout is the only limit`,
  TERMINAL_DISK_WARNING_GB: `${noEffect}: petasos doctor looks at the disk`,
  TERMINAL_SCRATCH_DIR: `${noEffect}: set the scratch directory in the options of the backend`,
  TERMINAL_SSH_PERSISTENT: `${noEffect}: connections are always kept`,
  TERMINAL_LOCAL_PERSISTENT: `${noEffect}: every petasos shell is a session of its own`,
  TERMINAL_LOCAL_MEMORY_MAX_MB: `${noEffect}: this machine has no limits; choose a place that has`,
  TERMINAL_MANAGED_MODAL_CONNECT_TIMEOUT_SECONDS: `${noEffect}: Petasos always talks to Modal directly`,
  TERMINAL_MANAGED_MODAL_POLL_READ_TIMEOUT_SECONDS: `${noEffect}: Petasos always talks to Modal directly`,
  TERMINAL_MANAGED_MODAL_CANCEL_READ_TIMEOUT_SECONDS: `${noEffect}: Petasos always talks to Modal directly`,
  HERMES_DOCKER_BINARY: `${noEffect}: set the address of the engine in the options of the backend`,
  HERMES_DOCKER_BACKEND_SKIP_PROFILE_MOUNTS: `${noEffect}: nothing of the host is mounted by itself`,
  HERMES_FORCE_FILE_SYNC: `${noEffect}: no file is copied by itself`,
  HERMES_GIT_BASH_PATH: `${noEffect}: Windows is not supported`,
  HERMES_YOLO_MODE: `${noEffect}: approvals are turned off with approvals.mode, never by a variable`,
  SUDO_PASSWORD: `${noEffect}: Petasos hands no password to sudo`,
  MESSAGING_CWD: `${noEffect}: set terminal.cwd`,
  TIRITH_ENABLED: `${noEffect}: ${scanner}`,
  TIRITH_BIN: `${noEffect}: ${scanner}`,
  TIRITH_TIMEOUT: `${noEffect}: ${scanner}`,
  TIRITH_FAIL_OPEN: `${noEffect}: ${scanner}`,
};
