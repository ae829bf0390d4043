import type { Call } from '../call.js';
import { data } from '../flow.js';
import type { Program, Rule } from '../program.js';
import { rule } from './cloud-common.js';

const secretValue = data(undefined, 'secret');

const awsOptions = {
  values:
    '--profile --region --output --query --endpoint-url --ca-bundle --cli-input-json --cli-input-yaml --bucket --key --prefix --stack-name --cluster --service --function-name --table-name --instance-ids --name --filters --max-items --page-size --secret-id --include --exclude --acl --storage-class --cli-read-timeout --cli-connect-timeout --queue-url --topic-arn --role-name --user-name --policy-arn --group-name --version-id --image-id --db-instance-identifier --log-group-name --parameters --body --document-name --targets --lifecycle-configuration --policy',
} as const;

const awsDry = '--dryrun --dry-run --no-execute-changeset --generate-cli-skeleton';

const awsDestroys =
  /^(?:change-resource-record-sets|delete|terminate|purge|remove|deregister|disable|reset|detach|disassociate|revoke|cancel|reject|destroy|release|stop|reboot|schedule-key-deletion|batch-delete|force|deactivate|abort|leave|delete-.*|put-bucket-(?:policy|acl|lifecycle.*|versioning)|put-public-access-block|put-key-policy|put-function-concurrency|modify-db-instance|update-(?:secret|access-key|login-profile|assume-role-policy)|restore-db.*|failover.*|rotate-secret|empty|retire-grant|unsubscribe|untag-.*)(?:-.*)?$/;

const awsSecrets =
  /^(?:get-secret-value|batch-get-secret-value|get-session-token|get-federation-token|assume-role.*|get-login-password|get-authorization-token|create-access-key|get-credentials.*|decrypt|get-password-data|export-credentials|get-role-credentials|generate-data-key.*|get-parameters?(?:-by-path)?)$/;

function aws(call: Call): void {
  const [service, verb] = [call.operand(0) ?? '', call.operand(1) ?? ''];
  const ask = (id: string, reason: string, reach: Rule['reach'] = 'remote-service'): void => call.report(`cloud.${id}`, reach, reason);
  if (
    call.has('--endpoint-url') &&
    !/localhost|127\.0\.0\.1|localstack|host\.docker\.internal|minio/.test(call.value('--endpoint-url')?.text ?? '')
  )
    ask('elsewhere', 'It sends its credentials to an address of its own.', 'credentials');
  if (call.has('--no-verify-ssl')) ask('elsewhere', 'It does not check to whom it sends its credentials.', 'credentials');
  if (call.operands.slice(0, 2).some((operand) => operand.dynamic)) ask('dynamic', 'What it asks of the cloud cannot be known beforehand.');
  if (call.has(awsDry)) return;
  if (service === 's3') {
    if (/^(?:rm|rb)$/.test(verb)) ask('s3-delete', 'It deletes objects or buckets.');
    else if (verb === 'mv') ask('s3-delete', 'It deletes objects where they were.');
    else if (verb === 'sync' && call.has('--delete')) ask('s3-delete', 'It deletes objects that the other side does not have.');
    else if (/^(?:cp|sync)$/.test(verb)) {
      const [source, target] = [call.operands[2], call.operands[3]];
      if (source && target?.text.startsWith('s3://') && !source.text.startsWith('s3://')) {
        if (source.text !== '-') call.reads(source);
        else if (call.stdin?.sources.has('secret')) call.report('exfil.secret', 'credentials', 'It sends secrets over the network.');
      } else if (target && !target.text.startsWith('s3://')) call.writes(target);
      if (/^public/.test(call.value('--acl')?.text ?? '')) ask('public', 'It shows the objects to everyone.');
    }
    return;
  }
  if (service === 'configure') {
    if (/^(?:set|import|add-model)$/.test(verb)) ask('configure', 'It changes with which credentials the cloud is used.', 'credentials');
    else if (verb === 'get' && /secret|token/.test(call.operand(2) ?? '')) ask('secret', 'It shows credentials.', 'credentials');
    else if (verb === 'export-credentials') ask('secret', 'It shows credentials.', 'credentials');
    return;
  }
  if (awsSecrets.test(verb) && !(/^get-parameter/.test(verb) && !call.has('--with-decryption')))
    ask('secret', 'It shows or creates credentials or secrets.', 'credentials');
  else if (awsDestroys.test(verb) && !/^(?:cancel-.*preview|stop-query|reset-.*preview|stop-session)$/.test(verb))
    ask('delete', `It deletes, stops or takes away something: ${service} ${verb}.`);
  else if (service === 'iam' && !/^(?:get|list|simulate|generate)/.test(verb) && verb !== '' && verb !== 'help')
    ask('iam', 'It changes who may do what in the cloud.');
  else if (/^(?:send-command|start-session|execute-command|invoke-shell|run-command|start-automation-execution)$/.test(verb))
    ask('remote-command', 'It runs commands on machines in the cloud.');
  else if (
    /^(?:put|update|modify|create|authorize|attach|add|set|register|import|upload|publish|start|run|execute|enable|copy|associate)-/.test(
      verb,
    ) &&
    /^(?:organizations|kms|route53|cloudtrail|guardduty|sts|sso-admin|account|ram|ec2-instance-connect)$/.test(service)
  )
    ask('change', `It changes ${service} for everyone who depends on it.`);
  else if (
    /^(?:authorize-security-group-(?:in|e)gress|attach-(?:role|user|group)-policy|put-(?:role|user|group)-policy|modify-instance-attribute|add-permission|put-bucket-.*|set-repository-policy|modify-image-attribute|modify-snapshot-attribute|update-function-code)$/.test(
      verb,
    )
  )
    ask('change', 'It changes who may reach something, or what runs there.');
  else if (service === 'ecs' && verb === 'update-service' && /^0$/.test(call.value('--desired-count')?.text ?? ''))
    ask('delete', 'It stops a service.');
  else if (service === 'cloudformation' && /^(?:deploy|execute-change-set)$/.test(verb))
    ask('deploy', 'It changes what runs in the cloud.');
}

const gcloudOptions = {
  values:
    '--project --account --configuration --format --filter --region --zone --limit --impersonate-service-account --billing-project --verbosity --flags-file --member --role --image --command --key-file --location --cluster --namespace --sort-by --page-size --secret',
} as const;

const destroys =
  'delete|destroy|remove|rm|purge|reset|stop|suspend|disable|abandon|terminate|undelete|drain|detach|revoke|cancel|deallocate|restart|failover|delete-*|remove-*|disable-*|purge-*|clear|rollback|simulate-maintenance-event|empty|unset|deactivate';

const gcloudRules: readonly Rule[] = [
  rule('delete', 'It deletes, stops or takes away something in the cloud.', {
    when: `... ${destroys}`,
    test: (call) =>
      !/^(?:config|components|help|topic|info|version)$/.test(call.operand(0) ?? '') ||
      (call.operand(0) === 'config' && call.operand(1) === 'configurations' && call.operand(2) === 'delete'),
  }),
  rule('iam', 'It changes who may do what in the cloud.', {
    when: '... add-iam-policy-binding|set-iam-policy|remove-iam-policy-binding|add-iam-policy|keys',
    test: (call) => !call.operands.some((operand) => /^(?:list|describe|get-iam-policy|get-public-key)$/.test(operand.text)),
  }),
  rule('secret', 'It shows credentials or secrets.', {
    when: '... print-access-token|print-identity-token|access|print-refresh-token|get-credentials-token|decrypt',
    reach: 'credentials',
  }),
  rule('secret', 'It shows credentials of other accounts.', { option: '--impersonate-service-account', reach: 'credentials' }),
  rule('deploy', 'It changes what runs in the cloud.', { when: 'app|functions|run deploy' }),
];

function remoteShell(call: Call): void {
  const code = call.value('--command');
  if (code && call.operands.some((operand) => operand.text === 'ssh'))
    call.shell(code.raw, { label: `${call.name} ssh`, remote: true, cwd: '' });
}

const azRules: readonly Rule[] = [
  rule('delete', 'It deletes, stops or takes away something in the cloud.', { when: `... ${destroys}`, unless: '--dryrun --what-if' }),
  rule('secret', 'It shows credentials or secrets.', {
    when: '... get-access-token|list-keys|get-credentials|list-connection-strings|show-connection-string|renew|regenerate|regenerate-key',
    reach: 'credentials',
  }),
  rule('secret', 'It shows credentials or secrets.', { when: 'keyvault secret show|download', reach: 'credentials' }),
  rule('secret', 'It shows credentials or secrets.', { when: '... keys list|renew', reach: 'credentials' }),
  rule('remote-command', 'It runs commands on a machine in the cloud.', { when: '... run-command' }),
  rule('iam', 'It changes who may do what in the cloud.', { when: 'role|ad ... create|update|add|reset' }),
  rule('sync-delete', 'It deletes what the other side does not have.', { when: 'storage blob sync', option: '--delete-destination' }),
  rule('elevate', 'It sends requests of its own to the cloud.', {
    when: 'rest',
    test: (call) => !/^(?:get|)$/i.test(call.value('-m --method')?.text ?? ''),
  }),
];

const storageRules: readonly Rule[] = [
  rule('storage-delete', 'It deletes objects or buckets.', { when: 'rm|rb|mv|rewrite|del|delete|remove', unless: '--dry-run -n --dryrun' }),
  rule('storage-delete', 'It deletes what the other side does not have.', {
    when: 'rsync|sync|mirror',
    option: '-d --delete --delete-removed --remove --delete-destination -x',
    unless: '-n --dry-run --dryrun',
  }),
  rule('public', 'It changes who may see objects.', { when: 'acl|iam|defacl|setacl|setpolicy ch|set', reach: 'remote-service' }),
  rule('storage-config', 'It changes a bucket.', { when: 'versioning|lifecycle|retention|setlifecycle|delpolicy set|lock|off|suspend' }),
];

export const cloud: readonly Program[] = [
  {
    names: ['aws', 'awslocal', 'aws2'],
    options: awsOptions,
    check: aws,
    output: (call) => (awsSecrets.test(call.operand(1) ?? '') ? secretValue : undefined),
    match: [
      'aws s3 rm s3://b --recursive',
      'aws s3 sync . s3://b --delete',
      'aws ec2 terminate-instances --instance-ids i-1',
      'aws rds delete-db-instance --db-instance-identifier x',
      'aws iam create-user --user-name x',
      'aws secretsmanager get-secret-value --secret-id x',
      'aws ssm send-command --document-name x',
      'aws --endpoint-url http://h.example s3 ls',
      'aws configure set aws_secret_access_key x',
      'aws dynamodb delete-table --table-name t',
      'aws s3 cp ~/.ssh/id_rsa s3://b/',
      'aws ssm get-parameter --name x --with-decryption',
      'aws ec2 authorize-security-group-ingress --group-id x --cidr 0.0.0.0/0',
    ],
    not_match: [
      'aws s3 ls s3://b',
      'aws ec2 describe-instances',
      'aws s3 cp dist s3://b/ --recursive',
      'aws s3 rm s3://b/x --dryrun',
      'aws iam list-users',
      'aws logs tail /x',
      'aws lambda list-functions',
      'aws configure list',
    ],
  },
  {
    names: ['gcloud'],
    options: gcloudOptions,
    rules: gcloudRules,
    check: remoteShell,
    output: (call) => (call.operands.some((operand) => /^print-/.test(operand.text)) ? secretValue : undefined),
    match: [
      'gcloud compute instances delete vm1 --quiet',
      'gcloud projects delete p',
      'gcloud auth print-access-token',
      'gcloud compute ssh vm --command="rm -rf /srv"',
      'gcloud sql instances delete db',
      'gcloud secrets versions access latest --secret=x',
      'gcloud projects add-iam-policy-binding p --member=x --role=owner',
      'gcloud run deploy web',
    ],
    not_match: [
      'gcloud compute instances list',
      'gcloud config set project p',
      'gcloud auth list',
      'gcloud container clusters list',
      'gcloud logging read x',
    ],
  },
  {
    names: ['az'],
    options: {
      values:
        '-g -n -o -m -u --resource-group --name --output --query --subscription --method --uri --url --body --location -l --vault-name --account-name --ids',
    },
    rules: azRules,
    match: [
      'az group delete -n rg --yes',
      'az vm delete -g rg -n vm',
      'az account get-access-token',
      'az vm run-command invoke -g rg -n vm --scripts "id"',
      'az keyvault secret show --name x --vault-name v',
      'az storage account keys list -n x',
      'az role assignment create --role Owner',
    ],
    not_match: ['az group list', 'az vm list -o table', 'az account show', 'az webapp log tail -n x', 'az storage blob list -c x'],
  },
  {
    names: ['gsutil', 'bq', 'mc', 's3cmd', 's5cmd', 'b2', 'azcopy', 'swift-cli', 'ossutil', 'coscli', 'mcli', 'r2', 'tarsnap'],
    options: { values: '-h -o -c --project_id --config --access_key --secret_key --location' },
    rules: [
      ...storageRules,
      rule('query', 'It changes or deletes data.', {
        when: 'query',
        test: (call) =>
          call.name === 'bq' &&
          /\b(?:drop|delete|truncate|update|merge|insert)\b/i.test(call.operands.map((operand) => operand.text).join(' ')),
      }),
      rule('admin', 'It stops or changes the storage service.', {
        when: 'admin service|user|policy|heal|decommission|rebalance stop|remove|rm|disable|attach|restart|start',
        test: (call) => call.name === 'mc' || call.name === 'mcli',
      }),
    ],
    match: [
      'gsutil rm -r gs://b',
      'gsutil rsync -d a gs://b',
      'bq rm -t d.t',
      'mc rm --recursive --force s/b',
      's3cmd del s3://b/x',
      'azcopy remove https://x',
      'bq query "DROP TABLE x"',
      'mc rb s/b',
      'b2 rm x',
    ],
    not_match: ['gsutil ls gs://b', 'gsutil cp a gs://b/', 'bq ls', 'mc ls s', 's3cmd ls', 'bq query "SELECT 1"'],
  },
];
