import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/approval/judge.js';
import { domains } from '../../../src/approval/programs/index.js';
import { local } from './context.js';

describe.each(Object.entries(domains))('programs of %s', (_, programs) => {
  for (const program of programs) {
    const name = program.names[0] as string;
    it.each(program.match)(`${name}: asks about or denies %j`, (command) => {
      const { verdict, findings } = judge(command, local);
      expect({ verdict, rules: findings.map((finding) => finding.rule) }).not.toMatchObject({ verdict: 'allow' });
      expect(findings.map((finding) => finding.rule)).not.toContain('judge.failed');
    });
    it.each(program.not_match)(`${name}: lets %j pass`, (command) => {
      const { verdict, findings } = judge(command, local);
      expect({ verdict, findings: findings.map((finding) => `${finding.rule}: ${finding.reason}`) }).toMatchObject({ verdict: 'allow' });
    });
  }

  it('has examples of both kinds for every program', () => {
    for (const program of programs) {
      expect(program.match.length, program.names.join(' ')).toBeGreaterThan(0);
      expect(program.not_match.length, program.names.join(' ')).toBeGreaterThan(0);
    }
  });
});
