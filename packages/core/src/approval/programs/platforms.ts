import type { Call } from '../call.js';
import { data } from '../flow.js';
import type { Program, Rule } from '../program.js';

const rule = (id: string, reason: string, more: Partial<Rule>): Rule => ({
  id: `platform.${id}`,
  reach: 'remote-service',
  reason,
  ...more,
});

const secretValue = data(undefined, 'secret');

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

/** Verbs that throw something away, for programs that speak to a service. */
const destroys =
  'delete|destroy|remove|rm|purge|unregister|terminate|drop|wipe|reset|revoke|disable|deactivate|unpublish|uninstall|clear|flush|delete-*|destroy-*|remove-*|purge-*|*-delete|*:delete|*:destroy|*:remove|*:reset|*:purge|*:wipe|*:drop|*:unset|*:kill|*:stop|nuke|erase|del|suspend|stop|cancel|archive|rollback|unset|kill|detach|deregister|flushall|shutdown|truncate|transfer';

export const platforms: readonly Program[] = [
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
  {
    names: [
      'heroku',
      'fly',
      'flyctl',
      'firebase',
      'vercel',
      'now',
      'netlify',
      'railway',
      'render',
      'wrangler',
      'doctl',
      'linode-cli',
      'hcloud',
      'scw',
      'ibmcloud',
      'oci',
      'aliyun',
      'tccli',
      'ovhcloud',
      'exo',
      'civo',
      'vultr-cli',
      'upctl',
      'cf',
      'dokku',
      'kamal',
      'surge',
      'supabase',
      'planetscale',
      'pscale',
      'neonctl',
      'turso',
      'appwrite',
      'convex',
      'eas',
      'expo',
      'ngrok-api',
      'cloudflare',
      'flarectl',
      'fastly',
      'akamai',
      'shopify',
      'stripe',
      'square',
      'twilio',
      'sendgrid',
      'mailgun',
      'postmark',
      'braintree',
      'launchdarkly',
      'ldcli',
      'unleash',
      'statsig',
      'split',
      'datadog-ci',
      'pagerduty',
      'pd',
      'sentry-cli',
      'newrelic',
      'grafana-cli',
      'grafanactl',
      'promtool',
      'amtool',
      'auth0',
      'okta',
      'contentful',
      'sanity',
      'algolia',
      'meilisearch',
      'elastic',
      'opensearch-cli',
      'es',
      'splunk',
      'logdna',
      'snyk',
      'sonar-scanner',
      'hasura',
      'xata',
      'upstash',
      'deta',
      'pm2-plus',
      'kong',
      'deck',
      'apigeecli',
      'tyk',
      'envoy',
      'haproxyctl',
      'traefik',
      'nginxctl',
      'step',
      'databricks',
      'dbt',
      'airflow',
      'prefect',
      'dagster',
      'mlflow',
      'wandb',
      'huggingface-cli',
      'hf',
      'modal',
      'runpodctl',
      'lambda',
      'vastai',
      'sky',
      'jfrog',
      'jf',
      'nexus',
      'cloudsmith',
      'gam',
      'm365',
      'teams',
      'slack',
      'zoom',
      'ionic',
      'appcenter',
      'bitrise',
      'meteor',
      'nhost',
      'stackpath',
      'northflank',
      'koyeb',
      'porter',
      'qovery',
      'coolify',
      'caprover',
      'deployctl',
      'lagoon',
      'platform',
      'upsun',
      'acquia',
      'acli-cloud',
      'terminus',
      'pantheon',
      'wp',
      'drush',
      'magento',
      'n98-magerun',
    ],
    options: {
      values:
        '-a -o -r -c -p -t -e -n --app --org --region --config --project --token --env --name --site --team --scope --output --format --context --account --confirm -f --file',
    },
    rules: [
      rule('service-delete', 'It deletes, stops or takes away something of a service that others use.', {
        when: `... ${destroys}`,
        unless: '--dry-run --dryrun --check -n --preview',
        test: (call) =>
          !/^(?:help|docs|list|ls|get|show|describe|info|status|logs|log|search|whoami|version)$/.test(call.operand(0) ?? '') &&
          !/^(?:list|ls|get|show|describe|info|status|logs|read)$/.test(call.operand(1) ?? ''),
      }),
      rule('service-reset', 'It resets data of a service.', {
        when: '... *:reset|*:restore|*:promote|*:rotate|*:credentials|pg:psql|*:run|restore|failover|promote|reset',
        test: (call) =>
          /:(?:reset|restore|promote|rotate|credentials)|^(?:restore|failover|reset)$/.test(
            call.operands.map((operand) => operand.text).find((text) => /:|^(?:restore|failover|reset)$/.test(text)) ?? '',
          ),
      }),
      rule('service-secret', 'It sets or shows secrets.', {
        when: '... secret|secrets|env|config|variables put|set|pull|export|get|bulk|add|import|*:set|*:get',
        reach: 'credentials',
        test: (call) =>
          /^(?:secrets?|env|variables)$/.test(call.operand(0) ?? '') && /^(?:put|set|pull|add|bulk|import)$/.test(call.operand(1) ?? ''),
      }),
      rule('service-secret', 'It sets or shows secrets.', {
        when: 'config:set|config:edit|config:unset|auth:token|config:get',
        reach: 'credentials',
      }),
      rule('service-deploy', 'It changes what others see and use.', {
        when: 'deploy|publish|promote|submit|*:push|*:publish',
        option: '--prod --production --force -f --yes -y --auto-approve --force-refresh',
        unless: '--dry-run --draft',
      }),
      rule('service-scale', 'It stops a service.', {
        when: '... scale|ps:scale',
        test: (call) => call.operands.some((operand) => /=0$|^0$/.test(operand.text)),
      }),
      rule('service-db', 'It changes or resets a database.', {
        when: 'db|database|migration|migrations|d1|postgres|pg reset|push|execute|drop|down|squash|repair|wipe|import|restore|shell',
        test: (call) => call.operand(1) !== 'push' || call.name === 'supabase',
      }),
    ],
    check: (call) => {
      if (!/^(?:fly|flyctl|heroku|railway|wp|drush)$/.test(call.name)) return;
      if (call.name === 'heroku' && /^run(?::detached)?$/.test(call.operand(0) ?? ''))
        call.shellWords(call.operands.slice(1), { label: 'heroku run', remote: true, cwd: '' });
      const code = call.value('-C --command');
      if (code) call.shell(code.raw, { label: call.name, remote: true, cwd: '' });
    },
    match: [
      'heroku apps:destroy web --confirm web',
      'heroku pg:reset DATABASE_URL',
      'fly apps destroy web',
      'firebase functions:delete f',
      'vercel remove web --yes',
      'netlify sites:delete x',
      'wrangler delete',
      'wrangler kv:namespace delete',
      'doctl compute droplet delete 1',
      'hcloud server delete web',
      'supabase db reset',
      'wrangler secret put K',
      'heroku config:set A=b',
      'heroku ps:scale web=0',
      'vercel deploy --prod',
      'railway delete',
      'stripe products delete p',
      'fastly service delete',
      'pscale database delete x',
      'heroku run "rm -rf /app"',
      'wp db reset --yes',
      'jf rt delete repo/x',
    ],
    not_match: [
      'heroku logs --tail',
      'fly status',
      'vercel ls',
      'netlify status',
      'wrangler dev',
      'doctl compute droplet list',
      'firebase emulators:start',
      'supabase start',
      'stripe listen',
      'hcloud server list',
      'supabase status',
      'wrangler tail',
      'dbt run',
      'sentry-cli releases list',
      'wp plugin list',
    ],
  },
  {
    names: [
      'vault',
      'consul',
      'doppler',
      'op',
      'bw',
      'infisical',
      'sops',
      'pass',
      'gopass',
      'chamber-cli',
      'lpass',
      'keybase',
      'akeyless',
      'conjur',
      'secrethub',
      'teller',
      'berglas',
      'age',
      'rbw',
      'boundary',
      'teleport',
      'tsh',
      'tctl',
      'security-cli',
      'secret-tool',
      'kwallet-query',
      'gnome-keyring',
      'git-crypt',
      'ejson',
      'strongbox',
    ],
    options: {
      values:
        '-p -c -f -n -o --project --config --format --namespace --address --token --vault --account --env --path --session -i --in --out -k --key',
    },
    rules: [
      rule('secret-delete', 'It deletes secrets, or the keys to them.', {
        when: `... ${destroys}|move|mv|trash|step-down|seal|rotate|rekey|force-leave|leave|unwrap-key|forget`,
        reach: 'credentials',
        unless: '--dry-run',
        test: (call) =>
          !/^(?:list|get|read|status|show|ls|insert|generate|log|logs|search)$/.test(call.operand(0) ?? '') &&
          !/^(?:list|get|ls|read)$/.test(call.operand(1) ?? ''),
      }),
      rule('secret-show', 'It shows secrets.', {
        when: 'read|get|show|export|decrypt|unwrap|view|signin|unlock|dump|lookup',
        reach: 'credentials',
        test: (call) =>
          /^(?:op|bw|pass|gopass|lpass|rbw|sops|infisical|secret-tool|vault|berglas|akeyless)$/.test(call.name) &&
          !(call.name === 'vault' && /^(?:show|export|lookup|view)$/.test(call.operand(0) ?? '')),
      }),
      rule('secret-show', 'It shows secrets.', {
        when: 'kv|secrets|item|document|token get|download|export|reveal|create|lookup',
        reach: 'credentials',
        test: (call) =>
          (!(call.name === 'consul') && !/^(?:doppler)$/.test(call.name)) ||
          (/^(?:download|get)$/.test(call.operand(1) ?? '') && call.name === 'doppler'),
      }),
      rule('secret-show', 'It shows secrets.', { option: '-d --decrypt', reach: 'credentials', test: (call) => call.name === 'sops' }),
      rule('secret-change', 'It changes secrets or who may read them.', {
        when: 'write|put|set|policy|auth|token|secrets|operator|kv|user|group|vault|item write|enable|tune|set|put|upload|create|edit|grant|raft|unseal|init|patch|rollback|enable-versioning|delete|undelete',
        reach: 'credentials',
        test: (call) => !/^(?:status|list)$/.test(call.operand(1) ?? '') && !(call.name === 'consul' && call.operand(1) === 'put'),
      }),
      rule('secret-change', 'It changes secrets.', {
        when: 'write|edit|insert|generate|rm|set',
        reach: 'credentials',
        test: (call) => /^(?:vault|pass|gopass)$/.test(call.name) && /^(?:write|rm|edit)$/.test(call.operand(0) ?? ''),
      }),
    ],
    check: (call) => {
      // `op run -- cmd`, `doppler run -- cmd`, `infisical run -- cmd`, `vault`-wrapped commands.
      if (!/^(?:run|exec|exec-env|exec-file)$/.test(call.operand(0) ?? '')) return;
      const dashes = call.args.findIndex((arg) => arg.raw === '--');
      const code = call.value('--command');
      if (dashes >= 0) call.runFrom(dashes + 1);
      else if (code) call.shell(code.raw);
      else if (call.name === 'sops') for (const operand of call.operands.slice(2)) call.shell(operand.raw);
    },
    output: (call) => (/^(?:read|get|show|export|decrypt|secrets|kv|item|view)$/.test(call.operand(0) ?? '') ? secretValue : undefined),
    match: [
      'vault kv delete secret/x',
      'vault secrets disable kv/',
      'consul kv delete -recurse app/',
      'doppler secrets delete K',
      'op item delete x',
      'op read op://v/i/p',
      'bw get password x',
      'sops -d secrets.yaml',
      'pass show mail',
      'vault kv get secret/x',
      'vault token create',
      'doppler run -- rm -rf ~/x',
      'vault operator seal',
      'infisical secrets delete K',
      "sops exec-env s.yaml 'rm -rf ~/x'",
    ],
    not_match: [
      'vault status',
      'op user list',
      'op vault list',
      'consul members',
      'doppler run -- npm start',
      'op run -- npm test',
      'consul kv get app/x',
      'vault list secret/',
      'bw status',
    ],
  },
];
