import type { Program } from '../program.js';
import { rule } from './cloud-common.js';

const dryRuns = '--dry-run --dryrun --plan --preview --noop --what-if';

const secretName = /pass|secret|token|key|credential|private|kubeconfig/i;

export const infrastructure: readonly Program[] = [
  {
    names: ['terraform', 'tofu', 'terragrunt', 'terramate', 'cdktf', 'tf'],
    options: { style: 'words', values: '' },
    rules: [
      rule('infra-destroy', 'It destroys infrastructure.', { when: 'destroy', alternative: 'terraform plan -destroy' }),
      rule('infra-destroy', 'It destroys infrastructure.', { when: 'run-all|run destroy|apply|--all' }),
      rule('infra-destroy', 'It destroys infrastructure.', {
        option: '-destroy --destroy',
        test: (call) => !/^plan$/.test(call.operand(0) ?? ''),
      }),
      rule('infra-apply', 'It changes infrastructure without a look at the plan.', {
        when: 'apply',
        option: '-auto-approve --auto-approve',
        alternative: 'terraform plan',
      }),
      rule('infra-apply', 'It changes infrastructure.', {
        when: 'apply|deploy',
        unless: '-auto-approve --auto-approve',
        alternative: 'terraform plan',
      }),
      rule('infra-state', 'It changes what is known about the infrastructure, which cannot be seen afterwards.', {
        when: 'state rm|push|mv|replace-provider',
        unless: '-dry-run --dry-run',
      }),
      rule('infra-state', 'It changes what is known about the infrastructure.', { when: 'import|taint|untaint|refresh|force-unlock' }),
      rule('infra-state', 'It deletes a workspace.', { when: 'workspace delete' }),
      rule('secret', 'It shows the secrets that are kept in the state.', {
        when: 'output|show',
        option: '-raw --raw',
        test: (call) => call.operands.length < 2 || call.operands.slice(1).some((name) => name.dynamic || secretName.test(name.text)),
        reach: 'credentials',
      }),
      rule('secret', 'It shows the secrets that are kept in the state.', { when: 'state pull', reach: 'credentials' }),
    ],
    match: [
      'terraform destroy',
      'terraform apply -auto-approve',
      'terraform -chdir=infra destroy',
      'terraform state rm aws_x.y',
      'terraform workspace delete old',
      'terraform force-unlock 1',
      'terraform apply -destroy',
      'terragrunt run-all destroy',
      'tofu destroy',
      'terraform apply',
      'terraform taint aws_x.y',
    ],
    not_match: [
      'terraform plan',
      'terraform init',
      'terraform fmt -check',
      'terraform validate',
      'terraform show',
      'terraform state list',
      'terraform output',
      'terraform output -raw cluster_url',
      'terraform plan -destroy',
    ],
  },
  {
    names: [
      'pulumi',
      'cdk',
      'sam',
      'serverless',
      'sls',
      'sst',
      'amplify',
      'copilot',
      'chalice',
      'zappa',
      'up',
      'eb',
      'ecs-cli',
      'cfn',
      'stackit',
      'nitric',
      'architect',
      'encore',
      'wing',
      'ignite',
      'packer',
      'cloudformation',
      'troposphere',
      'crossplane-cli',
      'spacectl',
      'infracost',
      'driftctl',
      'cloud-nuke',
      'aws-nuke',
      'nuke',
      'leapp',
    ],
    options: { values: '-s --stack -n --stage --region -r --profile --env -e -c --config --name --output -o' },
    rules: [
      rule('infra-destroy', 'It destroys infrastructure or what runs there.', {
        when: '... destroy|delete|remove|rm|terminate|down|undeploy|teardown|nuke|purge|uninstall|cancel|rollback',
        unless: dryRuns,
        test: (call) => !/^(?:up|packer)$/.test(call.name) || call.operands.length > 1 || call.name !== 'packer',
      }),
      rule('infra-destroy', 'It destroys everything in an account.', {
        unless: dryRuns,
        test: (call) => /nuke/.test(call.name) && call.operands[0]?.text !== 'inspect-aws' && call.args.length > 0,
      }),
      rule('infra-state', 'It changes what is known about the infrastructure.', {
        when: 'state|stack delete|rm|import|unprotect|rename|repair',
      }),
      rule('deploy', 'It changes infrastructure or what runs there.', {
        when: 'up|deploy|publish|import|refresh|bootstrap|provision',
        option: '-y --yes --skip-preview --force -f --require-approval --no-confirm-changeset --hotswap --auto-approve',
        unless: dryRuns,
      }),
      rule('secret', 'It shows secrets.', { option: '--show-secrets', reach: 'credentials' }),
    ],
    match: [
      'pulumi destroy --yes',
      'cdk destroy',
      'sls remove',
      'serverless remove --stage prod',
      'sst remove',
      'sam delete',
      'eb terminate env',
      'pulumi stack rm dev',
      'pulumi up --yes',
      'aws-nuke run -c x',
      'copilot app delete',
      'pulumi config --show-secrets',
    ],
    not_match: ['pulumi preview', 'cdk diff', 'cdk synth', 'sam build', 'sls info', 'pulumi stack ls', 'packer validate a.pkr.hcl'],
  },
  {
    names: ['ansible', 'ansible-playbook', 'ansible-pull', 'ansible-console', 'ansible-vault', 'ansible-galaxy'],
    options: {
      values:
        '-i -m -a -u -b -e -l -t -f -T -M --inventory --module-name --args --user --extra-vars --limit --tags --skip-tags --forks --become-user --vault-password-file --private-key --module-path --connection -c',
    },
    rules: [
      rule('remote-command', 'It runs commands on other machines.', {
        test: (call) =>
          call.name === 'ansible' &&
          /^(?:ansible\.builtin\.)?(?:shell|command|raw|script|file|copy|service|systemd|reboot|user|apt|yum|package|cron|template|lineinfile|win_\w+|)$/.test(
            call.value('-m --module-name')?.text ?? '',
          ) &&
          call.operands.length > 0 &&
          !call.has('--check -C --list-hosts'),
      }),
      rule('remote-command', 'It changes other machines.', {
        unless: '--check -C --syntax-check --list-tasks --list-hosts --list-tags',
        test: (call) => /^ansible-(?:playbook|pull|console)$/.test(call.name),
      }),
      rule('secret', 'It shows secrets.', {
        when: 'view|decrypt|edit',
        test: (call) => call.name === 'ansible-vault',
        reach: 'credentials',
      }),
    ],
    match: [
      'ansible web -m shell -a "rm -rf /srv"',
      'ansible all -m raw -a id',
      'ansible-playbook site.yml',
      'ansible-vault view secrets.yml',
      'ansible all -a reboot',
    ],
    not_match: [
      'ansible all -m ping',
      'ansible-playbook site.yml --check',
      'ansible-playbook --syntax-check site.yml',
      'ansible-galaxy install -r requirements.yml',
      'ansible --version',
      'ansible web -m setup',
    ],
  },
  {
    names: [
      'salt',
      'salt-call',
      'salt-ssh',
      'puppet',
      'chef-client',
      'knife',
      'bolt',
      'fab',
      'pssh',
      'pdsh',
      'clush',
      'parallel-ssh',
      'mco',
      'dsh',
      'csshx',
    ],
    options: { values: '-h -w -H -G -E -L -u -l -t -c -f --hosts --user --targets' },
    rules: [
      rule('remote-command', 'It runs commands on other machines or changes this one.', {
        test: (call) =>
          !/^(?:--version|list|show|status|test\.ping|ping)$/.test(call.args[0]?.text ?? '') &&
          !call.operands.some((operand) => /^(?:test\.ping|grains\.items|status|list|show|search)$/.test(operand.text)) &&
          call.operands.length > 0 &&
          !call.has('--noop --why-run -W'),
      }),
    ],
    match: [
      "salt '*' cmd.run 'rm -rf /srv'",
      'pssh -h hosts.txt reboot',
      'puppet apply site.pp',
      'pdsh -w web[1-3] "systemctl stop x"',
      'knife node delete x',
    ],
    not_match: ["salt '*' test.ping", 'knife node list', 'puppet apply --noop site.pp'],
  },
];
