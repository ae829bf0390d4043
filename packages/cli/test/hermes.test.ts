import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config/config.js';
import { readConfigFile } from '../src/config/file.js';
import { sessionSettings } from '../src/config/settings.js';
import { readHermesHome } from '../src/hermes/read-home.js';
import { contextIn } from './support/context.js';
import { writeText } from './support/packages.js';
import { type Person, person } from './support/petasos.js';

/** Every key with the value that the other program ships. */
const defaults = `terminal: {backend: local, modal_mode: auto, degraded_mode: warn, cwd: ".", timeout: 180, lifetime_seconds: 300, daemon_term_grace_seconds: 2.0,
  env_passthrough: [], credential_files: [], home_mode: auto, shell_init_files: [], auto_source_bashrc: true,
  docker_image: "nikolaik/python-nodejs:python3.11-nodejs20", docker_forward_env: [], docker_env: {}, docker_volumes: [], docker_extra_args: [],
  docker_network: true, docker_shm_size: 1g, docker_mount_cwd_to_workspace: false, docker_run_as_host_user: false,
  singularity_image: "docker://nikolaik/python-nodejs:python3.11-nodejs20", modal_image: "nikolaik/python-nodejs:python3.11-nodejs20",
  daytona_image: "nikolaik/python-nodejs:python3.11-nodejs20", vercel_runtime: node24,
  container_cpu: 1, container_memory: 5120, container_disk: 51200, container_persistent: true, persistent_shell: true}
approvals: {mode: smart, timeout: 300, cron_mode: deny, single_query_mode: deny, smart_policy: "", denial_breaker_threshold: 3, deny: [],
  mcp_reload_confirm: true, destructive_slash_confirm: true}
command_allowlist: []
security: {approval: {transport: builtin, transport_fallback: deny}, tirith_enabled: true, tirith_path: tirith, tirith_timeout: 5,
  tirith_fail_open: true, protected_instruction_files: true, redact_secrets: true}
tool_output: {max_bytes: 50000, max_lines: 2000, max_line_length: 2000}
`;

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'petasos-hermes-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});
const userFile = (text: string) => writeText(join(home, '.config/petasos/config.yaml'), text);
const envFile = (text: string) => writeText(join(home, '.config/petasos/.env'), text);
const config = (env: Record<string, string> = {}) => loadConfig(contextIn(home, { env }));

describe('a file of Hermes as the configuration', () => {
  it('loads without a word when everything has its default', async () => {
    await userFile(defaults);
    expect((await config()).notices).toEqual([]);
    expect((await config()).get('approvals.mode')?.value).toBe('manual');
  });

  it('a key without effect is reported once it is changed, whatever its type', async () => {
    const path = join(home, 'config.yaml');
    await writeText(path, 'terminal:\n  home_mode: real\n  bubblewrap_binds: [{src: /a}]\nsecurity:\n  redact_secrets: false\n');
    expect((await readConfigFile(path))?.notices).toEqual([
      `${path}:2: terminal.home_mode has no effect: commands always have the place's own home directory`,
      `${path}:3: terminal.bubblewrap_binds has no effect: there is no backend for bubblewrap`,
      `${path}:5: security.redact_secrets has no effect: values of secrets are always taken out of the record`,
    ]);
  });

  it('what it forbids stops the start instead of falling away', async () => {
    await userFile('approvals:\n  deny: ["git push*"]\n');
    await expect(config()).rejects.toThrow(/config\.yaml:2: approvals\.deny: patterns over the text of a command are not read here/);
    await userFile('command_allowlist: "git *"\n');
    await expect(config()).rejects.toThrow(/config\.yaml:1: command_allowlist: patterns/);
  });

  it('modes: off bare and quoted, empty, absent, and none', async () => {
    const mode = async (text: string) => {
      await userFile(text);
      return (await config()).get('approvals.mode')?.value;
    };
    expect(await mode('approvals: {mode: off}\n')).toBe('off');
    expect(await mode('approvals: {mode: "off"}\n')).toBe('off');
    expect(await mode('approvals:\n  mode:\n')).toBeUndefined();
    await expect(mode('approvals: {mode: auto}\n')).rejects.toThrow('must be one of off, manual, strict, not "auto"');
  });

  it('TERMINAL_TIMEOUT=5m is an error that names it, and a wrong variable of another backend is none', async () => {
    expect(() => sessionSettings(loaded, 'local')).toThrow('TERMINAL_TIMEOUT: must be a whole number, not "5m"');
    expect(sessionSettings(await config({ TERMINAL_DOCKER_VOLUMES: '[' }), 'local').options).toEqual({});
  });
  let loaded: Awaited<ReturnType<typeof config>>;
  beforeEach(async () => {
    loaded = await config({ TERMINAL_TIMEOUT: '5m' });
  });

  it('.env is weaker than a key that is present, and holds without one', async () => {
    await envFile('TERMINAL_ENV=docker\nTERMINAL_DOCKER_NETWORK=on\n');
    await userFile('terminal: {backend: local}\n');
    expect((await config()).get('sandbox')?.value).toBe('local');
    await userFile('terminal:\n');
    expect((await config()).get('sandbox')?.value).toBe('docker');
    expect((await config()).get('terminal.docker_network')?.value).toBe(false);
    await userFile('terminal: {docker_network: on, ssh_key: }\n');
    expect((await config()).get('terminal.docker_network')?.value).toBe(true);
    expect((await config()).get('terminal.ssh_key')).toBeUndefined();
  });

  it('a directory of the host stays out of containers, and ~ is the place’s', async () => {
    await userFile('terminal: {cwd: ~/work}\n');
    expect(sessionSettings(await config(), 'ssh').cwd).toBe('~/work');
    await userFile('terminal: {cwd: /home/me}\n');
    expect(sessionSettings(await config(), 'ssh').cwd).toBe('/home/me');
    expect(sessionSettings(await config(), 'docker')).toMatchObject({
      cwd: undefined,
      notices: [`${home}/.config/petasos/config.yaml:1: terminal.cwd /home/me is a directory of the host; docker starts in its own`],
    });
    await userFile('terminal: {cwd: /root}\n');
    expect(sessionSettings(await config(), 'docker').cwd).toBe('/root');
  });

  it('limits go to each container: what one cannot keep, its own placement tells', async () => {
    await userFile('terminal: {container_disk: 51200, container_cpu: 2, docker_orphan_reaper: true}\n');
    for (const backend of ['docker', 'singularity']) {
      expect(sessionSettings(await config(), backend).options).toEqual({ cpus: 2, diskMiB: 51_200 });
    }
  });

  it('references are replaced, names of variables are not', async () => {
    await userFile(
      'terminal: {docker_image: "${REPO}/x:${env:TAG}", ssh_user: "${UNSET}", env_passthrough: ["${REPO}"], docker_volumes: ["${HOME}:/h"]}\n',
    );
    const found = await config({ REPO: 'r', TAG: '1' });
    expect(found.get('terminal.docker_image')?.value).toBe('r/x:1');
    expect(found.get('terminal.ssh_user')?.value).toBe('${UNSET}');
    expect(found.get('terminal.env_passthrough')?.value).toEqual(['${REPO}']);
    expect(found.get('terminal.docker_volumes')?.value).toEqual([`${home}:/h`]);
  });

  it('variables without effect are named', async () => {
    await envFile('SUDO_PASSWORD=x\n');
    await chmod(join(home, '.config/petasos/.env'), 0o600);
    expect((await config({ HERMES_YOLO_MODE: '1', TERMINAL_MODAL_MODE: 'direct', TERMINAL_HOME_MODE: 'auto' })).notices).toEqual([
      'HERMES_YOLO_MODE has no effect: approvals are turned off with approvals.mode, never by a variable',
      'TERMINAL_MODAL_MODE has no effect: Petasos always talks to Modal directly',
      `${home}/.config/petasos/.env:1: SUDO_PASSWORD has no effect: Petasos hands no password to sudo`,
    ]);
  });
});

describe('config import', () => {
  let me: Person;
  beforeEach(async () => {
    me = await person();
    await writeText(
      join(me.home, '.hermes/config.yaml'),
      `model: {name: some}
terminal:
  backend: vercel_sandbox
  backend: docker   # the last one holds
  docker_image: debian:12
  timeout: 5m
  home_mode: real
  ssh_key:
approvals:
  mode: smart
  deny: ["git push --force*"]
command_allowlist: "git status"
_config_version: 37
`,
    );
    await writeText(
      join(me.home, '.hermes/.env'),
      'OPENAI_API_KEY=sk-none-of-ours\nMODAL_TOKEN_ID=ak-1\nMODAL_TOKEN_SECRET="as-2"\nTERMINAL_ENV=ssh\nTERMINAL_SSH_HOST=box\nTERMINAL_SSH_KEY=~/.ssh/id\nSUDO_PASSWORD=hunter2\n',
    );
  });

  it('is dry first, and shows no secret', async () => {
    const { status, stdout, stderr } = await me.run(['config', 'import']);
    expect(status).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
      ['sandbox', 'docker'],
      ['terminal.docker_image', 'debian:12'],
      ['approvals.mode', 'manual'],
      ['terminal.ssh_host', 'box'],
      ['terminal.ssh_key', '~/.ssh/id'],
      ['MODAL_TOKEN_ID', '(secret)'],
      ['MODAL_TOKEN_SECRET', '(secret)'],
      [''],
    ]);
    expect(stderr).toContain(`not taken over: ${me.home}/.hermes/config.yaml: terminal.timeout: must be a whole number, not "5m"`);
    expect(stderr).toContain('terminal.home_mode has no effect');
    expect(stderr).toContain('SUDO_PASSWORD has no effect');
    expect(stderr).toContain('Not about where commands run, and left alone: model.');
    expect(stderr).toContain('7 settings and 2 rules would be written; do it with --yes.');
    expect(stdout + stderr).not.toMatch(/as-2|hunter2|sk-none/);
    await expect(stat(join(me.home, '.config/petasos/config.yaml'))).rejects.toThrow('ENOENT');
  });

  it('writes with --yes: settings, secrets for their owner alone, and rules', async () => {
    expect((await me.run(['config', 'import', '--yes'])).status).toBe(0);
    const directory = join(me.home, '.config/petasos');
    expect(await readFile(join(directory, 'config.yaml'), 'utf8')).toBe(
      'sandbox: docker\nterminal:\n  docker_image: debian:12\n  ssh_host: box\n  ssh_key: ~/.ssh/id\napprovals:\n  mode: manual\n',
    );
    expect(await readFile(join(directory, '.env'), 'utf8')).toBe('MODAL_TOKEN_ID=ak-1\nMODAL_TOKEN_SECRET=as-2\n');
    expect((await stat(join(directory, '.env'))).mode & 0o777).toBe(0o600);
    expect((await me.run(['check', '--sandbox', 'local', 'git push --force origin main'])).status).toBe(2);
    expect((await me.run(['check', '--sandbox', 'local', 'git status'])).status).toBe(0);
    expect(await readFile(join(me.home, '.hermes/.env'), 'utf8')).toContain('hunter2');
  });

  it('a pattern that forbids and is no rule leaves only what rules allow', async () => {
    await writeText(join(me.home, '.hermes/config.yaml'), 'approvals: {mode: off, deny: ["*secret*; rm"]}\n');
    const { stdout, stderr } = await me.run(['config', 'import', '--json']);
    const found = JSON.parse(stdout) as { settings: { key: string; value: unknown }[]; refused: string[] };
    expect(found.settings).toContainEqual(expect.objectContaining({ key: 'approvals.mode', value: 'strict' }));
    expect(found.refused.at(-1)).toContain('*secret*; rm');
    expect(stderr).toBe('');
  });

  it('a text instead of a list is one entry, an older key names the place, and an empty home is told', async () => {
    await writeText(join(home, 'config.yaml'), 'terminal: {env_type: ssh}\ncommand_allowlist: "git *"\napprovals: {mode: auto}\n');
    const found = await readHermesHome(home, {});
    expect(found.allow).toEqual(['git *']);
    expect(found.settings).toEqual([
      expect.objectContaining({ key: 'sandbox', value: 'ssh' }),
      expect.objectContaining({ key: 'approvals.mode', value: 'manual' }),
    ]);
    expect(found.notes).toEqual([`${home}/config.yaml: approvals.mode: "auto" is no mode; a person is asked`]);
    expect((await me.run(['config', 'import', join(me.home, 'nothing')])).stderr).toBe(
      `petasos: ${me.home}/nothing has neither config.yaml nor .env. Name the home of Hermes.\n`,
    );
  });
});
