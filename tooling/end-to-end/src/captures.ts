// tsx tooling/end-to-end/src/captures.ts [FOLDER] writes the pictures of the documents: a newcomer's screens, taken in a terminal that runs what a release publishes. In namespaces of its
// own, so that no picture shows the machine that made it; that needs root and Linux.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Desk, prepareDesk } from './desk.js';
import { playNewcomer } from './newcomer.js';
import { must } from './process.js';
import { startRegistry } from './registry.js';
import { release, root } from './release.js';
import { TerminalPlayer } from './terminal/player.js';
import { screenSvg } from './terminal/svg.js';

const pictures = process.argv[2] ?? join(root, 'docs/images');
const person = { name: 'ann', id: 1000 };

/** A shell of somebody else on another machine: a host name, a home and a user of its own. */
function roomOf({ env }: Desk, directory: string): readonly string[] {
  const variables: string[] = Object.entries(env).map(([name, value]) => `${name}=${value.replaceAll(directory, `/home/${person.name}`)}`);
  variables.push('TERM=xterm-256color');
  const script = [
    'set -e',
    'hostname workstation',
    `mount --bind ${directory} /home`,
    `printf 'root:x:0:0::/root:/bin/sh\\n${person.name}:x:${person.id}:${person.id}::/home/${person.name}:/bin/bash\\n' > /home/.passwd`,
    'mount --bind /home/.passwd /etc/passwd',
    `cd /home/${person.name}/project`,
    `exec setpriv --reuid=${person.id} --regid=${person.id} --clear-groups env -i "$@" bash --norc --noprofile`,
  ].join('\n');
  return ['--uts', '--mount', 'bash', '-c', script, 'room', ...variables];
}

const directory = await mkdtemp('/var/tmp/petasos-captures-');
const registry = await startRegistry(join(directory, 'registry'));
try {
  await release(registry, directory);
  const rooms = join(directory, 'home');
  const home = join(rooms, person.name);
  await mkdir(home, { recursive: true });
  const userConfig = join(home, '.npmrc');
  await writeFile(userConfig, `registry=${registry.url}/\n`);
  const desk = await prepareDesk(home, { env: { ...registry.env, npm_config_userconfig: userConfig } });
  // Remotes are known by their path in the room.
  await must('git', ['remote', 'set-url', 'origin', `/home/${person.name}/upstream.git`], { cwd: desk.project, env: desk.env });
  await must('chown', ['-R', `${person.id}:${person.id}`, home], { cwd: home, env: process.env });
  await must('chmod', ['755', directory, rooms], { cwd: home, env: process.env });
  const inRoom = {
    ...desk,
    env: Object.fromEntries(Object.entries(desk.env).map(([name, value]) => [name, value.replaceAll(home, `/home/${person.name}`)])),
  };
  const player = new TerminalPlayer('unshare', roomOf(inRoom, rooms), { cwd: '/', env: { PATH: process.env.PATH ?? '' } });
  await mkdir(pictures, { recursive: true });
  try {
    await playNewcomer(player, async (name, screen) => {
      await writeFile(join(pictures, `${name}.svg`), screenSvg(screen, `petasos: ${name}`));
      console.log(`${name}\n${screen.text}\n`);
    });
  } finally {
    player.close();
  }
} finally {
  await registry.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}
