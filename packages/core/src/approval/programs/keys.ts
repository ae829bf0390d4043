import type { Program } from '../program.js';
import { outside } from './build-common.js';
import { rule } from './system-common.js';

export const keys: readonly Program[] = [
  {
    names: ['gpg', 'gpg2', 'gpgconf', 'openssl', 'certbot', 'acme.sh', 'mkcert', 'cfssl', 'keytool', 'ssh-vault', 'age-keygen'],
    options: {
      values:
        '-o -u -r -in -out -inkey -key -days -subj -engine -provider-path -config -passin -pass -keyout -nodes-name -recipient --output --recipient --local-user --homedir --agent-program --photo-viewer --batch-file -d',
      style: 'words',
      complete: '--export --import --delete',
    },
    rules: [
      rule('option.runs', 'anything', 'One of its options loads or runs other code.', {
        option: '-engine -provider-path -provider --agent-program --photo-viewer --dirmngr-program --pinentry-program',
      }),
      rule('secret.keys', 'credentials', 'It deletes, exports or revokes keys or certificates.', {
        option:
          '--delete-keys --delete-secret-keys --delete-secret-and-public-key --delete-key --delete-secret-key --export-secret-keys --export-secret-subkeys --gen-revoke --edit-key --import-ownertrust --yes-delete -deleteentry -delete -delete-alias -exportcert-key --export-ssh-key',
      }),
      rule('secret.keys', 'credentials', 'It revokes, deletes or installs certificates.', {
        when: 'revoke|delete|unregister|-install|rollback|--install|-uninstall|--revoke|--remove',
        test: (call) => /^(?:certbot|mkcert|acme\.sh)$/.test(call.name),
      }),
      rule('secret.keys', 'credentials', 'It changes which certificates the machine trusts.', {
        option: '-install -uninstall',
        test: (call) => call.name === 'mkcert',
      }),
    ],
    check: (call) => {
      if (call.name === 'openssl')
        for (const file of call.values('-config'))
          if (outside(call, file.raw))
            call.report('option.runs', 'anything', `It takes settings from ${file.text}, which can load other code.`, { durable: false });
      for (const file of call.values('-out -keyout -o --output')) call.writes(file);
      for (const file of call.values('-in'))
        if (call.name === 'openssl' && /^(?:enc|base64|smime|cms|dgst)$/.test(call.operand(0) ?? '')) call.reads(file);
      if (call.name === 'openssl' && call.operand(0) === 's_client' && call.stdin?.sources.has('secret'))
        call.report('exfil.secret', 'credentials', 'It sends secrets over the network.');
    },
    output: (call) =>
      call.name === 'openssl' && call.args.some((arg) => arg.raw === '-d') ? { text: undefined, sources: new Set(['decoded']) } : undefined,
    match: [
      'gpg --delete-secret-keys x',
      'gpg --export-secret-keys',
      'openssl req -engine ./x',
      'openssl req -config /tmp/x.cnf -new',
      'openssl rand -out ~/.bashrc 10',
      'certbot revoke --cert-path x',
      'mkcert -install',
      'openssl enc -base64 -in ~/.ssh/id_rsa',
      'echo x | openssl base64 -d | sh',
    ],
    not_match: [
      'gpg --verify a.sig a',
      'openssl rand -hex 16',
      'openssl req -config openssl.cnf -new',
      'openssl x509 -in c.pem -text',
      'gpg --list-keys',
      'gpg --armor --export dev@h.example',
      'certbot certificates',
      'openssl genrsa -out dev.key 2048',
    ],
  },
];
