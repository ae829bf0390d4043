import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkEnvironment, exportCode } from '../../src/engine/environment.js';
import { escapeForPrintf, quote } from '../../src/engine/quote.js';
import { runShell, shells } from './shells.js';

const newline = `petasos_nl='\n'\n`;
const text = fc
  .array(fc.oneof(fc.constantFrom("'", '"', '\n', '\\', '$', '`', ' ', '!', '-', '$(id)', '\r', 'é', '𝄞'), fc.string()), { maxLength: 12 })
  .map((parts) => parts.join('').replaceAll('\0', ''));

describe.each(shells)('under $name', ({ argv }) => {
  it('a quoted word is one line and means exactly its text', () => {
    fc.assert(
      fc.property(text, (value) => {
        const word = quote(value);
        expect(word).not.toContain('\n');
        expect(runShell(argv, `${newline}printf %s ${word}`).toString('utf8')).toBe(Buffer.from(value).toString('utf8'));
      }),
      { numRuns: 40 },
    );
  });

  it('a control line that is read and evaluated keeps every value of a variable', () => {
    fc.assert(
      fc.property(text, (value) => {
        const script = `${newline}IFS= read -r line; eval "$line"; printf %s "$PROBE"`;
        const line = Buffer.from(`${exportCode({ PROBE: value })}\n`);
        expect(runShell(argv, script, [], line).toString('utf8')).toBe(Buffer.from(value).toString('utf8'));
      }),
      { numRuns: 40 },
    );
  });

  it('bytes that are written for printf come out as they went in', () => {
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
    expect(runShell(argv, `printf %b ${quote(escapeForPrintf(bytes))}`)).toEqual(bytes);
  });
});

describe('a variable', () => {
  it.each(['', '1A', 'A-B', 'A B', 'A=B', 'Ä', 'A\n'])('cannot be called %j', (name) => {
    expect(() => checkEnvironment({ [name]: 'secret' })).toThrow(expect.objectContaining({ code: 'invalid-request' }));
    expect(() => checkEnvironment({ [name]: 'secret' })).not.toThrow(/secret/);
  });

  it('cannot hold NUL', () => {
    expect(() => checkEnvironment({ A: 'a\0b' })).toThrow(expect.objectContaining({ code: 'invalid-request' }));
  });

  it.each(['UID', 'EUID', 'PPID', 'SHELLOPTS', 'BASHOPTS'])('that the shell keeps read-only is refused: %s', (name) => {
    expect(() => checkEnvironment({ [name]: '1' })).toThrow(expect.objectContaining({ code: 'invalid-request' }));
  });
});
