import { describe, expect, it } from 'vitest';
import { inspect, inspectText, openDocker } from './sandboxes.js';

describe('by default', () => {
  it('a container has few capabilities, gains none, has an init process, limits on processes and on /tmp, and no socket', async () => {
    const sandbox = await openDocker();
    const { HostConfig } = await inspect(sandbox);
    expect(HostConfig).toMatchObject({
      Privileged: false,
      CapDrop: ['ALL'],
      CapAdd: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'SETGID', 'SETUID', 'SETFCAP', 'KILL'],
      SecurityOpt: ['no-new-privileges'],
      Init: true,
      PidsLimit: 1024,
      Binds: [],
    });
    const status = (await sandbox.exec('cat /proc/self/status; head -n 1 /proc/1/cmdline; df -m /tmp | tail -n 1; ls /var/run/docker.sock'))
      .stdout;
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    // chown, dac_override, fowner, fsetid, kill, setgid, setuid, setfcap: bits 0, 1, 3, 4, 5, 6, 7 and 31.
    expect(status).toMatch(/^CapEff:\t00000000800000fb$/m);
    expect(status).toMatch(/docker-init/);
    expect(status).toMatch(/^tmpfs\s+512 /m);
    expect(status).not.toContain('docker.sock');
    expect((await sandbox.placement()).warnings).toEqual([]);
  });

  it('a package manager finds what it needs: files change hands, and downloads run as another user', async () => {
    const sandbox = await openDocker();
    const { exitCode, stderr } = await sandbox.exec(
      'touch f && chown daemon:daemon f && chmod 4755 f && chown root f && setpriv --reuid daemon --clear-groups true && rm f',
    );
    expect([exitCode, stderr]).toEqual([0, '']);
  });

  it('no zombie stays under the first process', async () => {
    const sandbox = await openDocker();
    await sandbox.exec('for i in 1 2 3 4 5; do (setsid sleep 0.1 &) ; done');
    await expect
      .poll(async () => (await sandbox.exec('cat /proc/[0-9]*/stat | grep -c "^[0-9]* (sleep)"')).stdout, { timeout: 10_000 })
      .toMatch(/^[01]\n$/);
    expect((await sandbox.exec('cat /proc/[0-9]*/stat | grep ") Z "; true')).stdout).toBe('');
  });

  it('what a command started as another user ends with it', async () => {
    const sandbox = await openDocker();
    const result = await sandbox.exec('setpriv --reuid daemon --clear-groups sleep 4242', { timeoutMs: 300, graceMs: 100 });
    expect(result.ended).toBe('timed-out');
    expect(
      (await sandbox.exec('for p in /proc/[0-9]*; do [ "$(tr "\\0" " " <$p/cmdline)" = "sleep 4242 " ] && echo "$p"; done; true')).stdout,
    ).toBe('');
  });
});

it('values of variables are in no argument list and in nothing that can be inspected, and commands see them', async () => {
  const sandbox = await openDocker(
    { env: { DATABASE_PASSWORD: 'value-of-env' }, forwardEnv: ['ACME_TOKEN'] },
    { hostEnv: { ...process.env, ACME_TOKEN: 'value-of-host' } },
  );
  const result = await sandbox.exec(
    'echo "$DATABASE_PASSWORD $ACME_TOKEN $OWN"; tr "\\0" "\\n" </proc/1/environ; cat /proc/[0-9]*/cmdline',
    {
      env: { OWN: 'value-of-command' },
    },
  );
  expect(result.stdout.split('\n')[0]).toBe('value-of-env value-of-host value-of-command');
  expect(result.stdout.split('\n').slice(1).join('\n')).not.toContain('value-of');
  const running = await sandbox.spawn('sleep 5');
  const text = await inspectText(sandbox);
  expect(text).not.toContain('value-of');
  await running.kill('SIGKILL');
  await running.exited;
  const { forwarded, warnings } = await sandbox.placement();
  expect(forwarded).toContain('ACME_TOKEN');
  expect(warnings.map(({ id, message }) => [id, message.includes('ACME_TOKEN') || message.includes('DATABASE_PASSWORD')])).toEqual([
    ['env.secret', true],
    ['env.secret', true],
  ]);
});

describe('what loosens the isolation is warned of', () => {
  const warningsFor = async (options: object) => (await (await openDocker(options)).placement()).warnings.map(({ id }) => id);

  it('a socket of docker, a wide writable mount, root with mounts', async () => {
    const { socket } = await import('./place.js').then(({ testbed }) => testbed);
    expect((await warningsFor({ volumes: [`${socket}:/var/run/docker.sock`] })).sort()).toEqual([
      'mount.docker-socket',
      'user.root-with-mounts',
    ]);
    expect((await warningsFor({ volumes: ['/:/host'] })).sort()).toEqual(['mount.wide', 'user.root-with-mounts']);
    expect(await warningsFor({ volumes: ['/:/host:ro'] })).toEqual([]);
  });

  it('privileges, capabilities and the network of the machine', async () => {
    expect(await warningsFor({ capAdd: ['CAP_NET_ADMIN'] })).toEqual(['container.capabilities']);
    expect(await warningsFor({ snapCompat: true })).toEqual(['container.new-privileges']);
    expect(await warningsFor({ network: 'host' })).toEqual(['network.host']);
  });
});

it('a limit that the storage of the engine cannot enforce is said, not ignored', async () => {
  const sandbox = await openDocker({ diskMiB: 2048 });
  const { warnings, limits } = await sandbox.placement();
  if (limits.diskGiB === undefined) expect(warnings.map(({ id }) => id)).toEqual(['limits.disk']);
  else expect(limits.diskGiB).toBe(2);
});
