import type { Call } from '../call.js';
import { hasUnknown } from '../marks.js';
import type { OptionTable } from '../options.js';
import type { Rule } from '../program.js';

interface Subcommand {
  readonly options?: OptionTable;
  readonly rules?: readonly Rule[];
  readonly check?: (call: Call) => void;
}

const discards = 'It throws away changes that are not committed.';
const rule = (id: string, reach: Rule['reach'], reason: string, more: Partial<Rule> = {}): Rule => ({
  id: `git.${id}`,
  reach,
  reason,
  ...more,
});

/** A word after `checkout` that is a path and not a branch: one that says so itself. */
const looksLikePath = (text: string): boolean =>
  /^(?:\.{1,2}(?:\/.*)?|:\/.*|:\(.*|\/.*|\*.*|.*\*.*|.*\/)$/.test(text) ||
  (/^[\w./-]+\.[a-z]{1,4}$/i.test(text) &&
    !/^v?\d/.test(text) &&
    !text.startsWith('origin/') &&
    !/^(?:release|hotfix|feature)\//.test(text));

function checkout(call: Call): void {
  const dashes = call.args.findIndex((arg) => arg.raw === '--');
  const creates = call.has('-b -B --orphan -t --track');
  const paths = dashes >= 0 ? call.args.length - dashes - 1 : 0;
  const discard = (): void => call.report('git.discard', 'filesystem', discards, { alternative: 'git stash' });
  if (paths > 0) discard();
  else if (dashes < 0 && !creates) {
    const { operands } = call;
    if (operands.length >= 2 || (operands.length === 1 && looksLikePath(operands[0]?.text ?? ''))) discard();
  }
}

function push(call: Call): void {
  const overwrite = 'It overwrites or deletes what others have in the remote repository.';
  const [remote, ...refs] = call.operands;
  for (const ref of refs) {
    if (ref.raw.startsWith('+')) call.report('git.force-push', 'remote-service', overwrite, { alternative: 'git push --force-with-lease' });
    else if (/^:./.test(ref.raw)) call.report('git.delete-remote', 'remote-service', overwrite);
  }
  if (remote && /:\/\/|^[\w.-]+@[\w.-]+:|^\/|^\.\.?\/|^~/.test(remote.raw))
    call.report(
      'git.push-elsewhere',
      'remote-service',
      `It sends the repository to ${remote.text}, which is none of its configured remotes.`,
    );
  else if (remote && hasUnknown(remote.raw))
    call.report('git.push-elsewhere', 'remote-service', 'It sends the repository to an address that cannot be known beforehand.');
}

/** Payload of `submodule foreach` and `bisect run`: words, or one text for a shell. */
function payload(call: Call, from: number): void {
  const words = call.args.slice(from).filter((arg, index) => index > 0 || !arg.raw.startsWith('-'));
  if (words.length === 1) call.shell(words[0]?.raw ?? '', { label: `git ${call.name}` });
  else if (words.length) call.run(words, { label: `git ${call.name}` });
}

const entries: Readonly<Record<string, Subcommand>> = {
  reset: {
    options: { values: '--pathspec-from-file' },
    rules: [rule('reset-hard', 'filesystem', discards, { option: '--hard --merge --keep', alternative: 'git stash' })],
  },
  clean: {
    options: { values: '-e --exclude' },
    rules: [
      rule('clean', 'filesystem', 'It deletes files that git does not track, which nothing brings back.', {
        option: '-f --force',
        unless: '-n --dry-run',
        alternative: 'git clean -n',
      }),
    ],
  },
  checkout: {
    options: { values: '-b -B --orphan --conflict --pathspec-from-file' },
    rules: [
      rule('discard', 'filesystem', discards, { option: '-f --force -B', alternative: 'git stash' }),
      rule('discard', 'filesystem', discards, {
        option: '--pathspec-from-file -p --patch',
        test: (call) => call.has('--pathspec-from-file'),
      }),
    ],
    check: checkout,
  },
  switch: {
    options: { values: '-c -C --create --force-create --orphan --conflict' },
    rules: [
      rule('discard', 'filesystem', discards, { option: '-f --force --discard-changes -C --force-create', alternative: 'git stash' }),
    ],
  },
  restore: {
    options: { values: '-s --source --pathspec-from-file --conflict' },
    rules: [
      rule('discard', 'filesystem', discards, {
        alternative: 'git stash',
        test: (call) => !call.has('-S --staged') || call.has('-W --worktree'),
      }),
    ],
  },
  branch: {
    options: { values: '-u --set-upstream-to --contains --no-contains --merged --no-merged --points-at --sort --format --color' },
    rules: [
      rule('branch-delete', 'filesystem', 'It deletes or replaces a branch even where its commits are nowhere else.', {
        option: '-D -M -C',
        alternative: 'git branch -d',
      }),
      rule('branch-delete', 'filesystem', 'It deletes or replaces a branch even where its commits are nowhere else.', {
        option: '-f --force',
      }),
    ],
  },
  tag: {
    options: { values: '-m -F -u --contains --points-at --sort --format --message --file --local-user' },
    rules: [rule('tag-delete', 'filesystem', 'It deletes or replaces a tag.', { option: '-d --delete -f --force' })],
  },
  stash: {
    options: { values: '-m --message --pathspec-from-file' },
    rules: [rule('stash-drop', 'filesystem', 'It deletes stashed changes, which are nowhere else.', { when: 'drop|clear' })],
  },
  push: {
    options: { values: '-o --push-option --receive-pack --exec --repo --recurse-submodules --signed' },
    rules: [
      rule('force-push', 'remote-service', 'It overwrites what others have in the remote repository.', {
        option: '-f --force --force-with-lease --force-if-includes --mirror --prune',
        unless: '-n --dry-run',
        alternative: 'git push --force-with-lease',
      }),
      rule('delete-remote', 'remote-service', 'It deletes a branch or tag of the remote repository.', {
        option: '-d --delete',
        unless: '-n --dry-run',
      }),
      rule('option-runs', 'anything', 'One of its options names a program to run.', { option: '--receive-pack --exec' }),
    ],
    check: push,
  },
  pull: {
    options: { values: '-s -X --strategy --upload-pack --depth --jobs -j' },
    rules: [
      rule('option-runs', 'anything', 'One of its options names a program to run.', { option: '--upload-pack' }),
      rule('fetch-force', 'filesystem', 'It replaces local branches by those of the remote.', { option: '-f --force' }),
    ],
  },
  fetch: {
    options: { values: '--upload-pack --depth --jobs -j --shallow-since --refmap' },
    rules: [rule('option-runs', 'anything', 'One of its options names a program to run.', { option: '--upload-pack' })],
  },
  'ls-remote': {
    options: { values: '--upload-pack --exec --sort -o' },
    rules: [rule('option-runs', 'anything', 'One of its options names a program to run.', { option: '--upload-pack --exec' })],
  },
  'fetch-pack': {
    rules: [rule('option-runs', 'anything', 'One of its options names a program to run.', { option: '--upload-pack --exec' })],
  },
  'send-pack': {
    rules: [rule('option-runs', 'anything', 'One of its options names a program to run.', { option: '--receive-pack --exec --force' })],
  },
  clone: {
    options: {
      values:
        '-o -b -u -c -j --origin --branch --upload-pack --config --depth --template --reference --separate-git-dir --jobs --filter --bundle-uri --shallow-since',
    },
    rules: [
      rule('option-runs', 'anything', 'One of its options names a program to run or files to run later.', {
        option: '-u --upload-pack --template -c --config',
      }),
    ],
    check: (call) => {
      const target = call.operands[1];
      if (target) call.writes(target);
    },
  },
  init: {
    options: { values: '--template --separate-git-dir -b --initial-branch' },
    rules: [rule('option-runs', 'anything', 'It takes hooks from another directory.', { option: '--template' })],
  },
  archive: {
    options: { values: '-o --output --remote --exec --format --prefix --add-file' },
    rules: [rule('option-runs', 'anything', 'It has another repository run a program.', { option: '--exec' })],
    check: (call) =>
      call.values('-o --output').forEach((file) => {
        call.writes(file);
      }),
  },
  reflog: {
    rules: [
      rule('reflog', 'filesystem', 'It deletes the record from which lost commits are found again.', {
        when: 'expire|delete|drop',
        unless: '-n --dry-run',
      }),
    ],
  },
  gc: {
    options: { values: '--aggressive' },
    rules: [
      rule('prune', 'filesystem', 'It deletes commits that nothing refers to, for good.', {
        option: '--prune',
        test: (call) => /^(?:now|all|0|tomorrow)/.test(call.value('--prune')?.text ?? ''),
      }),
    ],
  },
  prune: { rules: [rule('prune', 'filesystem', 'It deletes objects that nothing refers to, for good.', { unless: '-n --dry-run' })] },
  repack: {},
  'update-ref': {
    options: { values: '-m' },
    rules: [rule('update-ref', 'filesystem', 'It moves or deletes references without any check.', { option: '-d --stdin' })],
  },
  'symbolic-ref': { rules: [rule('update-ref', 'filesystem', 'It deletes a reference.', { option: '-d --delete' })] },
  'filter-branch': {
    options: {
      values: '--env-filter --tree-filter --index-filter --msg-filter --commit-filter --parent-filter --tag-name-filter --setup -d',
    },
    rules: [rule('rewrite-history', 'filesystem', 'It rewrites the history of the repository.')],
    check: (call) =>
      call
        .values('--env-filter --tree-filter --index-filter --msg-filter --commit-filter --parent-filter --tag-name-filter --setup')
        .forEach((code) => {
          call.shell(code.raw, { label: 'git filter-branch' });
        }),
  },
  'filter-repo': {
    rules: [rule('rewrite-history', 'filesystem', 'It rewrites the history of the repository.', { unless: '--analyze --dry-run' })],
  },
  replace: { rules: [rule('rewrite-history', 'filesystem', 'It replaces objects of the repository.', { unless: '-l --list' })] },
  worktree: {
    options: { values: '-b -B --reason --expire' },
    rules: [
      rule('worktree-remove', 'filesystem', 'It deletes a working tree with what is not committed there.', {
        when: 'remove',
        option: '-f --force',
      }),
    ],
  },
  rm: {
    options: { values: '--pathspec-from-file' },
    rules: [rule('rm', 'filesystem', 'It deletes files from the working tree.', { unless: '--cached -n --dry-run' })],
  },
  mv: {},
  submodule: {
    options: { values: '-b --branch --name --reference --depth --jobs' },
    rules: [rule('submodule-deinit', 'filesystem', discards, { when: 'deinit', option: '-f --force --all' })],
    check: (call) => {
      const at = call.args.findIndex((arg) => arg.raw === 'foreach');
      if (at >= 0) payload(call, call.args[at + 1]?.raw === '--recursive' ? at + 2 : at + 1);
    },
  },
  bisect: {
    check: (call) => {
      if (call.args[0]?.raw === 'run') payload(call, 1);
    },
  },
  rebase: {
    options: { values: '-x --exec --onto -s -X --strategy --strategy-option -C --whitespace' },
    check: (call) => {
      for (const code of call.values('-x --exec')) {
        call.report('git.option-runs', 'anything', 'It runs a command after every commit.', { durable: false });
        call.shell(code.raw, { label: 'git rebase -x' });
      }
    },
  },
  grep: {
    options: { values: '-e -f -A -B -C -m --max-depth --threads' },
    rules: [
      rule('option-runs', 'anything', 'It opens the results in a program.', {
        test: (call) => call.options.some((option) => option.name === '-O' || /^--open(?:-f[\w-]*)?$/.test(option.name)),
      }),
    ],
  },
  difftool: {
    options: { values: '-x --extcmd -t --tool' },
    rules: [rule('option-runs', 'anything', 'It starts a program for every difference.')],
    check: (call) =>
      call.values('-x --extcmd').forEach((code) => {
        call.shell(code.raw, { label: 'git difftool' });
      }),
  },
  mergetool: { rules: [rule('option-runs', 'anything', 'It starts a program for every conflict.')] },
  instaweb: { rules: [rule('option-runs', 'network', 'It starts a web server.')] },
  'send-email': { rules: [rule('send-email', 'remote-service', 'It sends mail.', { unless: '--dry-run' })] },
  maintenance: { rules: [rule('maintenance', 'host', 'It has commands run later, when nobody watches.', { when: 'start|register' })] },
  'read-tree': { rules: [rule('reset-hard', 'filesystem', discards, { option: '--reset -u' })] },
  'checkout-index': { rules: [rule('discard', 'filesystem', discards, { option: '-f --force' })] },
  lfs: {
    rules: [rule('lfs', 'filesystem', 'It deletes or rewrites large files.', { when: 'prune|migrate|uninstall', unless: '--dry-run -d' })],
  },
  annex: {
    rules: [
      rule('annex', 'filesystem', 'It deletes content of the annex.', { when: 'drop|uninit|unused|dropunused|dropkey', option: '--force' }),
    ],
  },
  credential: { rules: [{ id: 'secret.read', reach: 'credentials', when: 'fill', reason: 'It shows stored passwords.' }] },
  'credential-store': { rules: [{ id: 'secret.read', reach: 'credentials', when: 'get', reason: 'It shows stored passwords.' }] },
  remote: {
    options: { values: '-t -m' },
    rules: [
      rule('remote', 'filesystem', 'It deletes a remote or moves where the repository is sent.', {
        when: 'remove|rm|set-url',
        test: (call) =>
          call.operand(0) !== 'set-url' ||
          !/github\.com|gitlab\.com|bitbucket\.org/.test(call.operands.map((operand) => operand.text).join(' ')),
      }),
    ],
  },
  help: { rules: [rule('option-runs', 'anything', 'It opens a viewer.', { option: '-w --web -i --info -m --man' })] },
  bundle: { check: (call) => (call.operand(0) === 'create' && call.operands[1] ? call.writes(call.operands[1]) : undefined) },
  'format-patch': {
    options: { values: '-o --output-directory -n --start-number --subject-prefix --to --cc --in-reply-to' },
    check: (call) =>
      call.values('-o --output-directory').forEach((file) => {
        call.writes(file);
      }),
  },
  diff: {
    options: { values: '-S -G -O -U --output --diff-filter --word-diff-regex --inter-hunk-context' },
    check: (call) => {
      if (call.has('--no-index')) for (const operand of call.operands) call.reads(operand);
    },
  },
  log: {
    options: { values: '-S -G -n -L -O -U --output --format --grep --author --since --until --after --before --max-count --skip --date' },
  },
  show: { options: { values: '-S -G -U --output --format' } },
  commit: {
    options: {
      values:
        '-m -F -C -c -t --message --file --author --date --template --reuse-message --reedit-message --fixup --squash --trailer --cleanup',
    },
  },
  am: { options: { values: '-C -p --directory --exclude --include' } },
  apply: {
    options: { values: '-p -C --directory --exclude --include' },
    rules: [rule('apply-unsafe', 'filesystem', 'It lets a patch write outside of the working tree.', { option: '--unsafe-paths' })],
  },
  'update-index': {},
  'upload-pack': {},
  svn: { rules: [rule('svn', 'remote-service', 'It overwrites or commits to the remote repository.', { when: 'dcommit|reset' })] },
  config: { options: { values: '-f --file --blob --type --default --comment --value --url' } },
};

/** What git's own commands do, by name. Those that are missing only read, or only add. */
export const gitSubcommands: ReadonlyMap<string, Subcommand> = new Map(Object.entries(entries));
