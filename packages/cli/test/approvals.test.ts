import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Person, person } from './support/petasos.js';

let me: Person;
let state: string;
beforeEach(async () => {
  me = await person();
  state = join(me.home, '.local/state/petasos');
});

async function configure(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = join(me.home, '.config/petasos', name);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, text);
  }
}

describe('petasos run', () => {
  it('lets the harmless through and denies the rest when nobody is there', async () => {
    expect(await me.run(['run', '--', 'echo fine'])).toMatchObject({ status: 0, stdout: 'fine\n' });
    const { status, stderr, stdout } = await me.run(['run', '--', 'git push --force']);
    expect({ status, stdout }).toEqual({ status: 126, stdout: '' });
    expect(stderr).toMatch(/^petasos: local: not approved in local\/default: git push --force: .*nobody is here to approve it.*\n$/);
    expect(stderr).toContain('Do not try it in another form');
  });

  it('never runs what nothing brings back, also with approvals off', async () => {
    await configure({ 'config.yaml': 'approvals:\n  mode: off\n' });
    expect((await me.run(['run', '--', 'git push --force 2>/dev/null; true'])).status).toBe(0);
    const { status, stderr } = await me.run(['run', '--', 'rm -rf / --no-preserve-root']);
    expect(status).toBe(126);
    expect(stderr).toContain('refused in every mode');
  });

  it('keeps to rules', async () => {
    await configure({
      'config.yaml': 'approvals:\n  mode: strict\n',
      'rules.yaml': 'allow:\n  - argv: [echo, "**"]\n',
      'rules/deny.yaml': 'deny:\n  - argv: [echo, secret]\n    reason: not here\n',
    });
    expect((await me.run(['run', '--', 'echo fine'])).stdout).toBe('fine\n');
    expect((await me.run(['run', '--', 'ls'])).status).toBe(126);
    expect((await me.run(['run', '--', 'echo secret plan'])).stderr).toContain('not here');
  });

  it.each<[Record<string, string>, RegExp]>([
    [{ 'rules.yaml': 'deny:\n  - argv: rm\n' }, /rules\.yaml:2: deny\[0\]\.argv: must be a list of words/],
    [
      { 'rules/x.yaml': 'deny:\n  - argv: [rm]\n    match: [ls]\n' },
      /rules\/x\.yaml:3: deny\[0\]\.match\[0\]: "ls" is not matched by the rule/,
    ],
    [{ 'config.yaml': 'approvals:\n  mode: yolo\n' }, /config\.yaml:2: approvals\.mode: must be one of off, manual, strict, not "yolo"/],
  ])('refuses to run anything with %j', async (files, message) => {
    await configure(files);
    const { status, stdout, stderr } = await me.run(['run', '--', 'echo ran']);
    expect(stderr).toMatch(message);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });

  it('lets no command change what decides about commands', async () => {
    for (const command of [
      'echo "approvals: {mode: off}" > ~/.config/petasos/config.yaml',
      'rm -rf ~/.local/state/petasos',
      'tee ~/.config/petasos/rules.yaml </dev/null',
    ]) {
      expect((await me.run(['run', '--', command])).status).toBe(126);
    }
  });
});

describe('petasos check', () => {
  it.each([
    ['npm test', 0, 'It would run.'],
    ['git push --force', 3, 'It would be asked.'],
    ['rm -rf /', 2, 'It would be denied.'],
  ])('%s', async (command, status, verdict) => {
    const ran = await me.run(['check', command]);
    expect(ran.status).toBe(status);
    expect(ran.stdout).toContain(verdict);
    expect(ran.stdout).toContain(`  ${command}\n`);
  });

  it('underlines what matters, and shows what runs', async () => {
    const { stdout } = await me.run(['check', "ls && sh -c 'git push --force'"]);
    expect(stdout).toMatch(/^ {2}ls && sh -c 'git push --force'\n +\^+\n/m);
    expect(stdout).toMatch(/^ {2}git push --force {2}through /m);
  });

  it('reads the scripts that a command runs, and runs nothing', async () => {
    await writeFile(join(me.work, 'deploy.sh'), 'touch ran\nrm -rf ~\n');
    const { status, stdout } = await me.run(['check', '--json', 'sh deploy.sh']);
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'deny',
      by: 'judge',
      cwd: me.work,
      findings: [{ reason: expect.stringContaining('deploy.sh') }],
    });
    expect(await readdir(me.work)).toEqual(['deploy.sh']);
  });

  it('counts rules in', async () => {
    await configure({ 'rules.yaml': 'deny:\n  - argv: [npm, publish]\n    reason: releases come from CI\n' });
    const { status, stdout } = await me.run(['check', 'npm publish']);
    expect(status).toBe(2);
    expect(stdout).toContain('Releases come from CI');
  });

  it('leaves no record', async () => {
    await me.run(['check', 'rm -rf /']);
    expect((await me.run(['audit'])).stdout).toBe('');
  });
});

describe('petasos audit', () => {
  it('shows what ran and what was refused, secrets aside', async () => {
    await me.run(['run', '--', 'echo --password=hunter2 fine; exit 3']);
    await me.run(['run', '--', 'git push --force']);
    const { status, stdout } = await me.run(['audit']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/allowed {2}local\/default {2}by judge {2}exit 3, /);
    expect(stdout).toContain('echo --password=[redacted] fine; exit 3');
    expect(stdout).toMatch(/denied {3}local\/default {2}by nobody\n {4}git push --force\n {4}git\./);
    expect(stdout).not.toContain('hunter2');
    const denied = (await me.run(['audit', '--denied', '--since', '1h', '--json'])).stdout.trim().split('\n');
    expect(denied.map((line) => JSON.parse(line))).toMatchObject([
      { decision: { command: 'git push --force', outcome: 'denied', by: 'nobody' } },
    ]);
    expect((await stat(join(state, 'audit/audit.jsonl'))).mode & 0o777).toBe(0o600);
  });

  it('names a line that is damaged, and shows the others', async () => {
    await me.run(['run', '--', 'true']);
    await writeFile(join(state, 'audit/audit.jsonl'), `torn\n${await readFile(join(state, 'audit/audit.jsonl'), 'utf8')}`);
    const { status, stdout, stderr } = await me.run(['audit']);
    expect(status).toBe(1);
    expect(stderr).toContain('audit.jsonl:1: this record is not valid JSON');
    expect(stdout).toContain('allowed');
  });

  it('keeps none when that is configured', async () => {
    await configure({ 'config.yaml': 'approvals:\n  record: false\n' });
    await me.run(['run', '--', 'true']);
    expect(await me.run(['audit'])).toMatchObject({ status: 0, stdout: '', stderr: 'There are no records.\n' });
  });
});

describe('petasos approvals', () => {
  it('reset lets risky commands be asked again', async () => {
    await me.run(['run', '--', 'git push --force origin a']);
    // A fresh sandbox is no fresh start.
    for (const branch of ['b', 'c']) await me.run(['run', '--rm', '--', `git push --force origin ${branch}`]);
    expect((await me.run(['run', '--', 'git push --force'])).stderr).toContain('three commands in a row were denied');
    expect((await me.run(['run', '--', 'echo fine'])).stdout).toBe('fine\n');
    expect((await me.run(['approvals', 'ls'])).stderr).toContain('local: after 3 denials in a row');
    expect(await me.run(['approvals', 'reset'])).toMatchObject({ status: 0, stderr: 'Reset local (3 denied).\n' });
    expect((await me.run(['run', '--', 'git push --force'])).stderr).toContain('nobody is here to approve it');
  });

  it('import takes over what can be honoured, names what cannot, and replaces nothing', async () => {
    const settings = join(me.home, 'settings.json');
    await writeFile(
      settings,
      JSON.stringify({ permissions: { allow: ['Bash(git push --force:*)', 'Bash(bash:*)', 'Read(x)'], deny: ['Bash(npm publish:*)'] } }),
    );
    const dry = await me.run(['approvals', 'import', '--dry-run', settings]);
    expect(dry.stdout).toContain('npm');
    expect(dry.stderr).toMatch(/refused: Bash\(bash:\*\) .*bash runs whatever its arguments say/);
    expect(dry.stderr).toMatch(/refused: Read\(x\) .*not about commands/);
    expect((await me.run(['check', 'npm publish'])).status).not.toBe(2);

    const file = join(me.home, '.config/petasos/rules/settings.yaml');
    expect((await me.run(['approvals', 'import', settings])).stderr).toContain(`Imported 2 rules into ${file}.`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await me.run(['check', 'git push --force origin main'])).status).toBe(0);
    expect((await me.run(['check', 'npm publish --tag next'])).status).toBe(2);
    expect(await me.run(['approvals', 'import', settings])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is there already'),
    });
    expect((await me.run(['approvals', 'import', '--force', settings])).status).toBe(0);
  });

  it('revoke of what is not there says so', async () => {
    expect(await me.run(['approvals', 'revoke', '0123456789ab'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('there is no approval 0123456789ab'),
    });
  });

  it('a damaged approval is named, and can be revoked', async () => {
    const id = 'a'.repeat(64);
    const file = join(state, 'approvals', `${id}.json`);
    await mkdir(join(state, 'approvals'), { recursive: true });
    await writeFile(file, '{"version":1');
    await chmod(file, 0o600);
    expect(await me.run(['approvals', 'ls'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`${file}:1: this remembered approval is not valid JSON`),
    });
    expect((await me.run(['approvals', 'revoke', id.slice(0, 12)])).status).toBe(0);
    expect(await me.run(['approvals', 'ls'])).toMatchObject({ status: 0, stderr: 'Nothing was allowed for always.\n' });
  });
});
