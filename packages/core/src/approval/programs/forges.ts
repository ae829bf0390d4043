import type { Call } from '../call.js';
import type { Program } from '../program.js';
import { destroys, rule, secretValue } from './platforms-common.js';

function api(call: Call): void {
  if (call.operand(0) !== 'api') return;
  const method = call.value('-X --method')?.text.toUpperCase();
  const endpoint = call.operand(1) ?? '';
  const fields = call.values('-f -F --field --raw-field --input');
  const graphql = endpoint === 'graphql' && !fields.some((field) => /mutation\b/.test(field.text));
  if ((method && method !== 'GET' && method !== 'HEAD') || (!method && fields.length > 0 && !graphql))
    call.report(
      'platform.api',
      'remote-service',
      `It changes something through the interface of the platform: ${method ?? 'POST'} ${endpoint}.`,
    );
  for (const field of call.values('-F --field --input')) {
    const file = field.raw.includes('=@') ? field.raw.slice(field.raw.indexOf('=@') + 2) : undefined;
    if (file) call.reads(file);
  }
}

export const forges: readonly Program[] = [
  {
    names: ['gh'],
    options: {
      values:
        '-R -t -b -B -H -l -a -m -F -f -X -q -L -s -e -p -r -A -n --repo --title --body --base --head --label --assignee --milestone --body-file --field --raw-field --method --jq --limit --search --state --json --template --input --hostname --env --notes --notes-file --target --name --reviewer --project --branch --workflow --user --org --app --visibility --cache --header --commit --job --event --author',
    },
    rules: [
      rule('delete', 'It deletes or archives something that others use.', {
        when: 'repo|release|secret|variable|label|gist|issue|ssh-key|gpg-key|cache|run|workflow|codespace|ruleset|project|extension|alias|org|milestone|autolink|deploy-key delete|archive|remove|delete-asset|transfer|rm|disable|stop|unlock|close-all|item-delete|field-delete',
      }),
      rule('repo', 'It changes a repository that others use.', {
        when: 'repo edit|rename|sync|unarchive|deploy-key',
        test: (call) =>
          /^(?:edit|rename)$/.test(call.operand(1) ?? '') ||
          (call.operand(1) === 'sync' && call.has('--force')) ||
          call.operand(2) === 'delete',
      }),
      rule('secret', 'It sets secrets or variables of a repository.', { when: 'secret|variable set', reach: 'credentials' }),
      rule('token', 'It shows or hands over credentials.', {
        when: 'auth token|refresh|setup-git',
        reach: 'credentials',
        test: (call) => call.operand(1) === 'token' || call.operand(1) === 'refresh',
      }),
      rule('token', 'It shows or hands over credentials.', { when: 'auth status', option: '-t --show-token', reach: 'credentials' }),
      rule('token', 'It logs in or out.', { when: 'auth logout|login', reach: 'credentials' }),
      rule('extension', 'It installs code that gh runs.', { when: 'extension|ext install|upgrade|exec', reach: 'anything' }),
      rule('alias', 'It gives gh a command that a shell runs.', {
        when: 'alias set|import',
        reach: 'anything',
        test: (call) => call.has('-s --shell') || /^!/.test(call.operand(3) ?? '') || call.operand(1) === 'import',
      }),
      rule('publish', 'It publishes files for others.', { when: 'gist create|edit' }),
      rule('publish', 'It publishes a release.', { when: 'release create|upload|edit', test: (call) => !call.has('-d --draft') }),
      rule('key', 'It grants a key access.', { when: 'ssh-key|gpg-key add', reach: 'credentials' }),
      rule('merge', 'It merges without the checks that the repository asks for.', {
        when: 'pr merge',
        option: '--admin -d --delete-branch',
      }),
      rule('run', 'It starts a workflow that others depend on.', { when: 'workflow run|enable' }),
      rule('config', 'It sets a program that gh runs.', {
        when: 'config set',
        test: (call) => /^(?:pager|editor|browser|prompt)$/.test(call.operand(2) ?? ''),
        reach: 'anything',
      }),
      rule('codespace', 'It runs commands on another machine.', { when: 'codespace|cs ssh|cp' }),
    ],
    check: api,
    output: (call) => (call.operand(0) === 'auth' && call.operand(1) === 'token' ? secretValue : undefined),
    match: [
      'gh repo delete me/x --yes',
      'gh api -X DELETE repos/a/b',
      'gh api repos/a/b/issues -f title=x',
      'gh secret set TOKEN',
      'gh auth token',
      'gh alias set --shell x "id"',
      'gh extension install a/b',
      'gh release delete v1',
      'gh gist create notes.txt',
      'gh pr merge 3 --admin',
      'gh repo edit --visibility public',
      'gh workflow run deploy.yml',
      'gh ssh-key add k.pub',
    ],
    not_match: [
      'gh pr list',
      'gh pr create --title "delete x" --body y',
      'gh issue create -t a -b "rm -rf /"',
      'gh run view 1 --log',
      'gh api repos/a/b',
      'gh pr checkout 3',
      'gh repo view a/b',
      'gh repo clone a/b',
      'gh pr view 1',
      'gh auth status',
      'gh release list',
      'gh pr merge 3 --squash',
    ],
  },
  {
    names: ['glab', 'tea', 'hut', 'bb-cli', 'jira', 'linear', 'acli'],
    options: {
      values:
        '-R -t -d -b -X -f -F -l -a --repo --title --description --method --field --raw-field --label --assignee --target-branch --source-branch --input',
    },
    rules: [
      rule('delete', 'It deletes or archives something that others use.', {
        when: '... delete|archive|remove|rm|transfer|revoke|unregister|purge',
        test: (call) => !/^(?:create|list|view|note)$/.test(call.operand(1) ?? ''),
      }),
      rule('secret', 'It sets or shows secrets or variables.', {
        when: 'variable|secret|token set|update|create|get|export|rotate',
        reach: 'credentials',
      }),
      rule('token', 'It shows or hands over credentials.', { when: 'auth status|login', option: '-t --show-token', reach: 'credentials' }),
      rule('alias', 'It gives the program a command that a shell runs.', { when: 'alias set', option: '-s --shell', reach: 'anything' }),
      rule('run', 'It starts or cancels a pipeline.', { when: 'ci run|trigger|cancel|delete' }),
    ],
    check: api,
    match: ['glab repo delete g/x', 'glab api -X DELETE projects/1', 'glab variable set K v', 'glab release delete v1', 'glab mr delete 3'],
    not_match: ['glab mr list', 'glab mr create -t x -d "delete"', 'glab ci view', 'glab api projects/1', 'glab issue list'],
  },
  {
    names: [
      'gitlab-runner',
      'gitlab-rake',
      'gitlab-rails',
      'gitlab-ctl',
      'gitlab-backup',
      'circleci',
      'jenkins-cli',
      'act_runner',
      'buildkite-agent',
      'drone',
      'travis',
      'tkn-ci',
      'fastlane',
      'semaphore',
      'jenkins',
      'concourse',
      'fly-ci',
    ],
    options: { values: '-n --name -t --token -u --url --config -c' },
    rules: [
      rule('ci', 'It changes, stops or deletes what a build service runs.', {
        when: `... ${destroys}|register|restore|cleanse|reconfigure|delete-job|delete-builds|delete-node|disable-job|quiet-down|safe-shutdown|restart|safe-restart|groovy|groovysh|runner|console|dbconsole`,
        unless: '--dry-run',
      }),
    ],
    match: [
      'gitlab-runner unregister --all-runners',
      'gitlab-rails console',
      'gitlab-ctl cleanse',
      'jenkins-cli delete-job x',
      'drone repo rm a/b',
      'gitlab-backup restore',
    ],
    not_match: ['gitlab-runner list', 'gitlab-runner verify', 'circleci config validate', 'gitlab-ctl status'],
  },
];
