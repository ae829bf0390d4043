import { expect, test } from 'vitest';
import { createRedactor, redact, secretValues } from '../../../src/approval/record/redact.js';

const secret = 'hunter2-Zq9';

test.each([
  [`mysql -u root -p${secret} shop`],
  [`/usr/bin/mysqldump --password=${secret} shop`],
  [`psql --password ${secret}`],
  [`sshpass -p ${secret} ssh dev@host`],
  [`docker login -u me -p ${secret} registry.example.com`],
  [`redis-cli -a ${secret} ping`],
  [`curl -u dev:${secret} https://api.example.com`],
  [`curl -udev:${secret} https://api.example.com`],
  [`curl --user='dev:${secret}' https://api.example.com`],
  [`git clone https://dev:${secret}@git.example.com/a.git`],
  [`curl -H "Authorization: Bearer ${secret}" https://api.example.com`],
  [`curl -H 'authorization: Basic ${secret}'`],
  [`curl -H 'X-Api-Key: ${secret}'`],
  [`curl -H 'PRIVATE-TOKEN: ${secret}'`],
  [`curl 'https://api.example.com/x?a=1&access_token=${secret}&b=2'`],
  [`curl -d '{"user": "dev", "password": "${secret}"}' https://api.example.com`],
  [`PGPASSWORD=${secret} psql -h db`],
  [`export STRIPE_SECRET="${secret} and more"`],
  [`env GITHUB_TOKEN='${secret}' gh repo list`],
  [`openssl enc -aes-256-cbc -pass pass:${secret} -in f`],
  [`ldapsearch -w ${secret} -x`],
  [`helm login -p "${secret} x"`],
  [`vault login --token=${secret}`],
  [`tool --api-key \\\n  ${secret}`],
  [`mysql -p'${secret}`],
])('nothing of the secret is left in %s', (command) => {
  const result = redact(command);
  expect(result).not.toContain(secret);
  expect(result).toContain('[redacted]');
});

test.each([
  `AKIA${'A1B2C3D4E5F6G7H8'}`,
  `ghp_${'a1B2'.repeat(9)}`,
  `github_pat_${'a1B2_'.repeat(9)}`,
  `xoxb-${'123456789012-abcDEF'}`,
  `sk-proj-${'a1B2'.repeat(10)}`,
  `glpat-${'a1B2'.repeat(5)}`,
  `npm_${'a1B2'.repeat(9)}`,
  `AIza${'a1B2c'.repeat(7)}`,
  `eyJ${'hbGciOiJI'.repeat(2)}.eyJ${'zdWIiOiIx'.repeat(2)}.${'sig_'.repeat(8)}`,
])('the shape %s is recognised in plain text', (token) => {
  expect(redact(`echo before ${token} after`)).toBe('echo before [redacted] after');
});

test('a private key is masked as a whole, also when its end is missing', () => {
  const key = ['-----BEGIN OPENSSH PRIVATE KEY-----', 'b3BlbnNzaC1rZXktdjEA', 'AAAABG5vbmU', '-----END OPENSSH PRIVATE KEY-----'].join(
    '\n',
  );
  expect(redact(`cat > k <<'E'\n${key}\nE\nls`)).toBe(`cat > k <<'E'\n[redacted]\nE\nls`);
  expect(redact(`printf '${key.slice(0, 50)}`)).toBe(`printf '[redacted]`);
});

test.each([
  'git commit -m "rotate the token file"',
  'docker run -p 8080:80 nginx',
  'mysql -p shop',
  'curl -u "$USER_AND_PASS" https://api.example.com',
  'curl -H "Authorization: Bearer $TOKEN" https://api.example.com',
  'export API_TOKEN="$(cat token)"',
  'ls --password-file=/run/secrets/db',
  'grep -p token src',
  'mkdir -p src/auth && cd src/auth',
  'ssh -p 2222 dev@host',
  'npm run test -- --token-count=5',
  'tar -cf x.tar --exclude=secret .',
])('ordinary text stays as it is: %s', (command) => {
  expect(redact(command)).toBe(command);
});

test('values of credential variables are masked wherever they stand', () => {
  const values = secretValues({ MY_API_TOKEN: 'plain-looking-value', HOME: '/home/dev', PASSWORD_FILE: '/run/pw', DB_PASSWORD: 'abc' });
  expect(values).toEqual(['plain-looking-value', 'abc']);
  expect(createRedactor(values)('echo plain-looking-value abc')).toBe('echo [redacted] abc');
});

test('the longest of overlapping values is masked first', () => {
  expect(createRedactor(['secret', 'secret-longer'])('a secret-longer b')).toBe('a [redacted] b');
});

test.each([
  ['mysql ', 170_000],
  ["'", 200_000],
  ['a://', 200_000],
  ['"\\', 200_000],
  ['-----BEGIN PRIVATE KEY-----', 20_000],
  ['eyJaaaaaaaaaa.', 60_000],
  ['authorization: ', 60_000],
  ['"a":"', 150_000],
  ['?token=', 150_000],
  ['x-', 400_000],
])('a megabyte of %j does not make it hang', { timeout: 10_000 }, (piece, times) => {
  expect(redact(piece.repeat(times)).length).toBeGreaterThan(0);
});
