import type { Judge } from '../../../src/approval/rules/examples.js';
import type { EnvironmentChange, Finding, ResolvedCommand } from '../../../src/approval/verdict.js';
import { command, finding, judgement } from '../support/commands.js';

/**
 * A judge small enough to be certain of: it knows `;`, `&&` and newlines, no quotes. `rm` and `git push --force` ask,
 * `mkfs` is denied, `sudo` and `bash -c` are wrappers, `sh FILE` and `python3 FILE` run a script, `$X` is unknown unless
 * exported before, `LD_PRELOAD` asks, `"` is a parse error, `explode` throws.
 */
export const fakeJudge: Judge = (text, context) => {
  if (text.includes('explode')) throw new Error('the judge failed');
  const commands: ResolvedCommand[] = [];
  const findings: Finding[] = [];
  const env: EnvironmentChange[] = [];
  if (text.replace('"$__petasos_unknown"', '').includes('"')) findings.push(finding(undefined, { rule: 'parse.error', durable: false }));
  for (const piece of text.matchAll(/[^;&\n]+/g)) {
    const words = piece[0].trim();
    if (words === '') continue;
    const start = piece.index + piece[0].indexOf(words);
    const span = { start, end: start + words.length };
    const exported = /^export (\w+)='([^']*)'$/.exec(words);
    if (exported !== null) env.push({ name: exported[1] ?? '', value: exported[2] });
    const known = words
      .replace(/\s+/g, ' ')
      .replace(/\$(\w+)/g, (_whole, name: string) => env.find((change) => change.name === name)?.value ?? '…');
    judgeWords(known, { cwd: context.cwd, span, env: exported === null ? [...env] : [] });
  }

  function judgeWords(words: string, base: Partial<ResolvedCommand>): void {
    const [program, ...rest] = words.split(' ');
    if (program === 'sudo' || words.startsWith('bash -c ')) {
      const inner = program === 'sudo' ? rest.slice(rest[0] === '-S' ? 1 : 0) : rest.slice(1);
      commands.push(command(words, { ...base, wrapper: true, durable: false, privileged: program === 'sudo' }));
      if (rest.includes('-S')) add(commands.at(-1), { rule: 'sudo.password-on-stdin', severity: 'deny', judged: 'deny' });
      if (inner.length > 0) judgeWords(inner.join(' '), { ...base, via: [...(base.via ?? []), program === 'sudo' ? 'sudo' : 'bash -c'] });
      return;
    }
    const script = /^(sh|python3|source) (\S+)/.exec(words);
    const operand = script === null ? {} : { script: { path: absolute(script[2] ?? ''), interpreter: script[1] ?? '' }, durable: false };
    const one = command(words, { ...base, ...operand });
    commands.push(one);
    if (program === 'rm' || words.startsWith('git push --force'))
      add(one, program === 'rm' ? {} : { rule: 'git.force-push', reach: 'remote-service' });
    if (program === 'mkfs') add(one, { rule: 'fs.format', severity: 'deny', judged: 'deny', reason: 'formats a filesystem' });
    if (program === 'export' && rest[0]?.startsWith('LD_PRELOAD=') === true) add(one, { rule: 'env.loader', durable: false });
  }

  function add(of: ResolvedCommand | undefined, overrides: Partial<Finding>): void {
    const ephemeral = context.storage === 'ephemeral' && overrides.reach === undefined && overrides.severity !== 'deny';
    findings.push(finding(of, { ...overrides, ...(ephemeral ? { severity: 'allow' } : {}) }));
  }

  function absolute(file: string): string | undefined {
    if (file.includes('…')) return undefined;
    return file.startsWith('/') ? file : `${context.cwd}/${file}`;
  }
  return judgement(commands, findings);
};
