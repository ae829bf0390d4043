import type { Call } from '../call.js';
import type { Program } from '../program.js';

interface WrapperEntry {
  readonly names: string;
  /** Options that take a value. */
  readonly values?: string;
  /** Words between the options and the command. */
  readonly skip?: number;
  /** The words are joined for a shell. */
  readonly joined?: boolean;
  /** Each word is shell code of its own. */
  readonly each?: boolean;
  /** With any of these options there is no command. */
  readonly none?: string;
  /** Options whose value is shell code. */
  readonly code?: string;
  /** Options whose value is a file that is written. */
  readonly writes?: string;
  /** A written file that begins with `|` or `!` is a command. */
  readonly pipes?: boolean;
  readonly match: readonly string[];
  readonly not_match: readonly string[];
}

const isAssignment = (text: string): boolean => /^[A-Za-z_]\w*=/.test(text);

/** Assignments in front of the wrapped command, as `sudo A=1 cmd` and `env A=1 cmd` have them. */
export function leadingAssignments(call: Call, from: number): { index: number; assignments: { name: string; value: string }[] } {
  const assignments: { name: string; value: string }[] = [];
  let index = from;
  for (; index < call.args.length && isAssignment(call.args[index]?.raw ?? ''); index++) {
    const raw = call.args[index]?.raw as string;
    const equals = raw.indexOf('=');
    assignments.push({ name: raw.slice(0, equals), value: raw.slice(equals + 1) });
  }
  return { index, assignments };
}

const wrapper = (entry: WrapperEntry): Program => ({
  names: entry.names.split(' '),
  options: { values: [entry.values, entry.code, entry.writes].filter(Boolean).join(' '), stop: true },
  wrapper: true,
  check: (call) => {
    if (entry.code) for (const code of call.values(entry.code)) call.shell(code.raw);
    if (entry.writes)
      for (const file of call.values(entry.writes)) {
        if (entry.pipes && /^[|!]/.test(file.raw)) {
          call.report('option.runs', 'anything', 'It hands its output to another command.', { durable: false });
          call.shell(file.raw.slice(1));
        } else call.writes(file);
      }
    if (entry.none && call.has(entry.none)) return;
    const { index, assignments } = leadingAssignments(call, call.parsed().rest + (entry.skip ?? 0));
    const words = call.args.slice(index);
    if (entry.each) for (const word of words) call.shell(word.raw);
    else if (entry.joined || (words.length === 1 && /\s/.test(words[0]?.raw ?? ''))) call.shellWords(words, { assignments });
    else call.run(words, { assignments });
  },
  match: entry.match,
  not_match: entry.not_match,
});

const entries: readonly WrapperEntry[] = [
  {
    names: 'nohup setsid daemonize daemon',
    values: '-p -e -o -u -c',
    match: ['nohup git reset --hard', 'setsid -f rm -rf ~/x'],
    not_match: ['nohup npm start'],
  },
  {
    names: 'nice',
    values: '-n --adjustment',
    match: ['nice -n 5 git clean -fd', 'nice -10 rm -rf ~/x', 'nice git push -f'],
    not_match: ['nice -n 19 make -j4'],
  },
  {
    names: 'ionice',
    values: '-c -n -p -P -u --class --classdata --pid',
    none: '-p -P -u --pid',
    match: ['ionice -c 3 rm -rf ~/old'],
    not_match: ['ionice -c2 -n7 npm test', 'ionice -p 1'],
  },
  { names: 'choom', values: '-n -p', none: '-p', match: ['choom -n 100 -- git reset --hard'], not_match: ['choom -p 1'] },
  { names: 'stdbuf', values: '-i -o -e --input --output --error', match: ['stdbuf -oL rm -rf ~/x'], not_match: ['stdbuf -o0 npm test'] },
  {
    names: 'timeout gtimeout',
    values: '-k -s --kill-after --signal',
    skip: 1,
    match: ['timeout 5 git reset --hard', 'timeout -s KILL 10s rm -rf ~/x'],
    not_match: ['timeout 60 npm test', 'timeout 10s ./scripts/run-tests.sh'],
  },
  {
    names: 'time gtime',
    values: '-f --format',
    writes: '-o --output',
    match: ['time rm -rf ~/x', '/usr/bin/time -o ~/.bashrc ls'],
    not_match: ['time npm test'],
  },
  { names: 'chrt', values: '-T -P -D -p', skip: 1, none: '-p', match: ['chrt -b 0 git reset --hard'], not_match: ['chrt -p 100'] },
  {
    names: 'taskset',
    values: '-p',
    skip: 1,
    none: '-p',
    match: ['taskset -c 0 rm -rf ~/x', 'taskset 0x1 git clean -fdx'],
    not_match: ['taskset -c 0-3 make'],
  },
  { names: 'prlimit', match: ['prlimit --nofile=10 git push --force'], not_match: ['prlimit --nofile=10 npm test'] },
  {
    names: 'setpriv capsh',
    values: '--reuid --regid --groups --inh-caps --bounding-set --user --gid --uid --caps',
    code: '-c',
    match: ['setpriv --reuid 0 rm -rf ~/x'],
    not_match: ['setpriv --dump'],
  },
  {
    names: 'numactl',
    values: '-N -m -C -i -p --cpunodebind --membind --physcpubind --interleave --preferred',
    match: ['numactl -N 0 rm -rf ~/x'],
    not_match: ['numactl --hardware'],
  },
  {
    names: 'strace ltrace',
    values: '-a -b -e -E -I -O -p -P -s -S -u -U -X -l -n -A',
    writes: '-o --output',
    pipes: true,
    none: '-p',
    match: ["strace -o '|sh' ls", 'strace -f git reset --hard', 'ltrace -e malloc rm -rf ~/x'],
    not_match: ['strace -c ls'],
  },
  {
    names: 'valgrind heaptrack rr uftrace memusage catchsegv',
    match: ['valgrind --tool=memcheck rm -rf ~/x'],
    not_match: ['valgrind ./build/app'],
  },
  {
    names:
      'unbuffer eatmydata noti chronic ifne pee setlock softlimit pgrphack fghack dumb-init tini catatonit ts-node-wrapper stdoutisatty faketty winpty',
    values: '-d -o',
    match: ['unbuffer git reset --hard', 'chronic rm -rf ~/x', 'eatmydata git clean -fd'],
    not_match: ['unbuffer npm test', 'tini -- npm start'],
  },
  { names: 'su-exec gosu', skip: 1, match: ['gosu www rm -rf ~/x'], not_match: ['gosu www ls'] },
  {
    names: 'fakeroot fakechroot proot bwrap firejail',
    values: '-l -s -i -b -r -w -q -k --rootfs --chdir --uid --gid --lib --faked',
    match: ['fakeroot git reset --hard', 'firejail --net=none rm -rf ~/x', 'proot -r ./root git clean -fdx'],
    not_match: ['fakeroot make install-staging'],
  },
  { names: 'caffeinate', values: '-t -w', match: ['caffeinate -d git push -f'], not_match: ['caffeinate -i npm test'] },
  {
    names: 'cpulimit',
    values: '-l -p -e -P --limit --pid --exe --path',
    none: '-p -e --pid',
    match: ['cpulimit -l 50 -- rm -rf ~/x'],
    not_match: ['cpulimit -l 50 npm test'],
  },
  {
    names: 'faketime datefudge',
    values: '--exclude-monotonic',
    skip: 1,
    match: ["faketime '2020-01-01' rm -rf ~/x"],
    not_match: ["faketime '2020-01-01' npm test"],
  },
  {
    names: 'xvfb-run dbus-run-session dbus-launch',
    values: '-n -s -f -e -p -w --server-num --server-args --auth-file --error-file --config-file',
    match: ['xvfb-run -a rm -rf ~/x'],
    not_match: ['xvfb-run -a npm test'],
  },
  {
    names: 'torsocks torify proxychains proxychains4 tsocks',
    values: '-f -u -p -i',
    match: ['proxychains4 -q git push --force'],
    not_match: ['torsocks --version'],
  },
  {
    names: 'rlwrap',
    values: '-a -b -C -D -f -g -H -l -O -p -P -q -s -S -t -w -z',
    match: ['rlwrap sh -c "rm -rf ~/x"'],
    not_match: ['rlwrap node app.js'],
  },
  { names: 'sshpass', values: '-p -f -d -P', match: ['sshpass -p x ssh h "rm -rf /srv"'], not_match: ['sshpass -V'] },
  { names: 'logsave', skip: 1, match: ['logsave log.txt rm -rf ~/x'], not_match: ['logsave log.txt make'] },
  { names: 'setuidgid envuidgid', skip: 1, match: ['setuidgid nobody git reset --hard'], not_match: ['setuidgid nobody ls'] },
  {
    names: 'chpst',
    values: '-u -U -b -e -/ -n -l -L -m -d -o -p -f -c -r -t -C',
    match: ['chpst -u nobody rm -rf ~/x'],
    not_match: ['chpst -n 5 ls'],
  },
  { names: 'envdir', skip: 1, match: ['envdir ./env rm -rf ~/x'], not_match: ['envdir ./env npm start'] },
  {
    names: 'cross-env cross-env-shell env-cmd dotenvx dotenv dotenv-cli',
    values: '-f -e --file -c',
    match: ['cross-env A=1 rm -rf ~/x', 'dotenv -e .env.ci -- git push --force'],
    not_match: ['cross-env NODE_ENV=test jest', 'dotenv -- npm test'],
  },
  {
    names: 'concurrently',
    values: '-n -c -p -s -l --names --prefix --prefix-colors --restart-tries',
    each: true,
    match: ['concurrently "npm test" "rm -rf ~/x"'],
    not_match: ['concurrently "npm:watch" "npm:serve"'],
  },
  {
    names: 'hyperfine',
    values: '-w -r -m -M -s -S -i -L -N -n --warmup --runs --shell --export-json --export-markdown',
    code: '-p -c --prepare --cleanup --setup --conclude',
    each: true,
    match: ['hyperfine --prepare "rm -rf ~/x" ls', 'hyperfine "git clean -fdx"'],
    not_match: ['hyperfine "npm test"', 'hyperfine --warmup 3 ./app'],
  },
  {
    names: 'watchexec',
    values: '-w -e -f -i -d -s -W --exts --watch --filter --ignore --debounce --signal --shell',
    joined: true,
    match: ['watchexec -e ts -- git reset --hard'],
    not_match: ['watchexec -e ts npm test'],
  },
  {
    names: 'nodemon',
    values: '-e -w -i -d --ext --watch --ignore --delay --signal --config',
    code: '-x --exec',
    none: '-x --exec',
    match: ['nodemon --exec "rm -rf ~/x"'],
    not_match: ['nodemon src/index.js', 'nodemon -e ts --exec "npm test"'],
  },
  { names: 'entr', match: ['entr git reset --hard', 'entr -c rm -rf ~/x', "entr -s 'git clean -fdx'"], not_match: ['entr -c npm test'] },
  {
    names: 'perf',
    values: '-e -g -p -o -F -C -t -s',
    skip: 1,
    match: ['perf stat rm -rf ~/x'],
    not_match: ['perf record ./app', 'perf report'],
  },
  {
    names: 'setarch linux32 linux64 i386 x86_64 uname26 arch',
    skip: 0,
    match: ['linux32 git clean -fdx', 'arch -x86_64 rm -rf ~/x'],
    not_match: ['arch', 'setarch --list'],
  },
  { names: 'wine wine64 box64 box86', match: ['wine cmd /c "rd /s /q x"'], not_match: ['wine setup.exe'] },
  {
    names: 'systemd-inhibit systemd-cat',
    values: '--what --who --why --mode -t -p --identifier --priority',
    match: ['systemd-inhibit git push --force'],
    not_match: ['systemd-inhibit --list'],
  },
  { names: 'direnv', skip: 2, match: ['direnv exec . rm -rf ~/x'], not_match: ['direnv status', 'direnv allow'] },
  {
    names: 'aws-vault chamber saml2aws awsume aws-okta',
    values: '-n -d --duration --region -r -b',
    skip: 2,
    match: ['aws-vault exec prod rm -rf ~/x'],
    not_match: ['aws-vault list', 'aws-vault exec dev aws s3 ls'],
  },
];

/** Programs that do nothing but run the rest of their words. */
export const wrappers: readonly Program[] = entries.map(wrapper);
