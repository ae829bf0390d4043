/** Shapes of credentials that are recognised wherever they stand. Every quantifier is bounded or stops at a separator. */
export const secretShapes: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:(?!-----END)[\s\S])*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)?/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,255}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,255}/g,
  /\bglpat-[A-Za-z0-9_-]{16,255}/g,
  /\bxox[a-z]-[A-Za-z0-9-]{10,255}/g,
  /\bxapp-[A-Za-z0-9-]{10,255}/g,
  /(?<=hooks\.slack\.com\/services\/)[A-Za-z0-9/]{10,255}/g,
  /\bsk-[A-Za-z0-9_-]{20,255}/g,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}/g,
  /\bnpm_[A-Za-z0-9]{30,255}/g,
  /\bpypi-[A-Za-z0-9_-]{30,1024}/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\bya29\.[A-Za-z0-9_-]{20,1024}/g,
  /\bhf_[A-Za-z0-9]{30,255}/g,
  /\bdop_v1_[a-f0-9]{40,255}/g,
  /\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}/g,
  /\beyJ[A-Za-z0-9_-]{10,4096}\.eyJ[A-Za-z0-9_-]{2,4096}(?:\.[A-Za-z0-9_-]{0,4096})?/g,
];

const secretWord =
  /pass(?:word|wd|phrase|code)?$|secret|token|api_?key|access_?key|private_?key|signing_?key|encryption_?key|credential|(?:^|_)(?:auth|pwd|pat)$|(?:^|_)pass(?:_|$)/i;
const plainName = /(?:_|^)(?:file|path|dir|url|uri|host|name|id|type|ttl|expiry|count|limit|length|policy)$/i;

/** True for the name of a variable, option or field whose value is probably a secret. Dashes count as underscores. */
export function isSecretName(name: string): boolean {
  const plain = name.replaceAll('-', '_').replace(/^_+/, '');
  if (plainName.test(plain) && !/access_?key_?id$/i.test(plain)) return false;
  return secretWord.test(plain) || /(?:^|_)PGPASS/i.test(plain);
}
