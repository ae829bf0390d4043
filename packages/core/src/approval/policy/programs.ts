/** Programs that run what their arguments, their input or their files say: a wide permission for one is one for everything. */
const carriers: ReadonlySet<string> = new Set(
  `sh bash dash ash ksh mksh zsh fish csh tcsh pwsh powershell cmd nu xonsh elvish busybox toybox
  python pypy ipython node nodejs deno bun tsx ts-node perl ruby irb php lua luajit tclsh expect R Rscript julia erl elixir iex guile racket
  sbcl clisp emacs java groovy scala kotlin swift jshell clojure osascript octave gnuplot m4 awk gawk mawk nawk vim vi nvim ex ed gdb lldb
  sudo doas su pkexec runuser env command builtin exec eval source . noglob nohup setsid nice ionice choom stdbuf timeout time chrt taskset
  prlimit setpriv numactl flock watch strace ltrace perf valgrind rr unshare nsenter chroot bwrap proot firejail systemd-nspawn script
  systemd-run systemd-inhibit start-stop-daemon xargs parallel setarch linux32 linux64 wine ssh mosh adb wsl vagrant tmux screen dtach at
  batch crontab direnv mise asdf rbenv pyenv bundle poetry uv uvx pdm hatch pipx conda mamba nix nix-shell devbox dotenv op doppler
  aws-vault chamber cross-env env-cmd concurrently hyperfine unbuffer rlwrap torsocks proxychains proxychains4 sshpass fakeroot eatmydata
  caffeinate cpulimit faketime xvfb-run dbus-run-session sg newgrp run-parts setuidgid chpst envdir watchexec entr nodemon
  npx pnpx bunx find fd psql mysql mariadb sqlite3 mongosh mongo redis-cli`
    .split(/\s+/)
    .filter((name) => name !== ''),
);

/** Of these, a permission that ends before the subcommand is one for everything, and so is one for these subcommands. */
const subcommandCarriers: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['git', new Set(['bisect', 'submodule', 'rebase', 'filter-branch', 'difftool', 'mergetool', 'config', 'credential', 'send-email'])],
  ['docker', new Set(['run', 'exec', 'compose', 'container', 'buildx'])],
  ['podman', new Set(['run', 'exec', 'compose', 'container'])],
  ['nerdctl', new Set(['run', 'exec', 'compose', 'container'])],
  ['kubectl', new Set(['exec', 'run', 'debug', 'apply', 'attach'])],
  ['npm', new Set(['exec', 'x', 'explore', 'config', 'init', 'create'])],
  ['pnpm', new Set(['exec', 'dlx', 'config', 'create'])],
  ['yarn', new Set(['exec', 'dlx', 'config', 'create'])],
  ['go', new Set(['run', 'generate', 'tool', 'env'])],
  ['cargo', new Set(['run', 'install'])],
  ['gcloud', new Set(['compute'])],
  ['gh', new Set(['alias', 'extension', 'api'])],
]);

/** Basename without a version: `/usr/bin/python3.11` is `python`. */
export function programName(word: string): string {
  return word
    .slice(word.lastIndexOf('/') + 1)
    .replace(/(?<=^(?:python|pypy|lua|perl|ruby|php|node|gawk|sqlite|proxychains))\d*(?:\.\d+)*$/, '');
}

/** True when the program runs other code by design. */
export function isCarrier(word: string): boolean {
  const base = word.slice(word.lastIndexOf('/') + 1);
  return carriers.has(base) || carriers.has(programName(word));
}

/** True for words that leave open what runs when anything may follow them. */
export function leavesProgramOpen(words: readonly string[]): boolean {
  const [program, subcommand] = words;
  if (program === undefined || isCarrier(program)) return true;
  const carrying = subcommandCarriers.get(programName(program));
  return carrying !== undefined && (subcommand === undefined || subcommand.startsWith('-') || carrying.has(subcommand));
}
