import type { Program } from '../program.js';
import { destroys, rule, secretValue } from './platforms-common.js';

export const secrets: readonly Program[] = [
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
