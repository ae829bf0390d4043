import type { Report } from './findings.js';
import { hasUnknown } from './marks.js';
import { judgeDeletion, judgeReading, judgeWriting } from './path-policy.js';
import { locate } from './paths.js';
import { programFor } from './programs/index.js';
import type { JudgeContext } from './verdict.js';

/** Where findings and payloads of code in another language go. */
export interface CodeSink {
  readonly context: JudgeContext;
  readonly cwd: string | undefined;
  report(finding: Report): void;
  shell(text: string): void;
  words(list: readonly string[]): void;
}

/** Longer code is scanned up to here for what its strings say; what it is capable of is scanned throughout. */
const longest = 1 << 16;
const mostLiterals = 200;

const spawns =
  /(?<!\bplatform)\.system\s*\(|\bos\.(?:system|popen|exec[lv]\w*|spawn\w*|posix_spawn\w*|startfile)\b|\bsubprocess\b|\bpty\.spawn|\bcommands\.get(?:status)?output|child_process|\bexec(?:File)?Sync\b|\bspawnSync\b|\bBun\.(?:spawn|\$)|\bDeno\.(?:run|Command)|\b(?:shell_exec|passthru|proc_open|pcntl_exec)\b|\bgetRuntime\b|\bProcessBuilder\b|\bOpen3\b|\bio\.popen|\bos\.execute|%x[({[<|!/]|\bqx\s*[({[<|!/'"]|\bNSTask\b|\bdo\s+shell\s+script|\bProcess\.(?:run|start|spawn|exec)\b|\bsyscmd\b|\bpopen[234]?\b|\bPOpen\b|\bposix_spawn\b|\bstd::process|\bexec\.Command/;
/** Words that start a process in some languages and are ordinary in others. */
const spawnsIn: Readonly<Record<string, RegExp>> = {
  ipython: /^\s*!/m,
  perl: /\bexec\b|\bsystem\b|\bsysopen\b|`|\|\s*["']|["']\s*\||\bfork\b/,
  ruby: /\bexec\b|\bsystem\b|\bKernel\b|\bspawn\b|`|\bfork\b|\bIO\.popen|\bPTY\b|open\s*\(?\s*["']\|/,
  php: /\bexec\b|\bsystem\b|`|\bpopen\b|\beval\b|\bassert\s*\(/,
  lua: /\bos\.execute|\bio\.popen|\bload\s*\(|\bdofile\b|\bpackage\.loadlib/,
  tcl: /\bexec\b|\bspawn\b|\bopen\s+["{]?\|/,
  r: /\bsystem2?\b|\bshell\b|\bpipe\s*\(/,
  julia: /`|\brun\s*\(|\bpipeline\b/,
  elixir: /System\.(?:cmd|shell)|:os\.cmd|\bPort\.open/,
  erlang: /os:cmd|open_port/,
  octave: /\bsystem\b|\bshell_cmd\b|\bunix\b|\bdos\b/,
  c: /\bsystem\b|\bexec[lv]/,
  lisp: /\bsystem\*?\b|run-program|run-shell-command|call-process|shell-command|start-process|uiop/,
  osascript: /do shell script|System Events|keystroke/,
  groovy: /\.execute\s*\(|\bProcess/,
  awk: /\bsystem\s*\(|\|\s*getline|\|&|\|\s*["']|\bprint[^;}\n]*\|/,
  vim: /!|\bsystem\b|:?w(?:rite)?!?\s+\/|\bsource\b|\blua\b|\bpy3?\b|\bperl\b/,
};
const deletes =
  /\brmtree\b|\bunlink(?:Sync)?\b|\bos\.(?:remove|rmdir|removedirs|rename|replace|truncate|chmod|chown|kill)\b|\brm(?:dir)?Sync\b|\bfs(?:\.promises)?\.(?:rm|rmdir|unlink|truncate)\b|\bshutil\.move\b|\bFileUtils\.(?:rm|remove|mv|chmod)\w*|\bFile\.(?:delete|unlink|rename|truncate)\b|\bDir\.(?:rmdir|delete|unlink)\b|\bremove_tree\b|\bDeno\.remove|\brmdir\b|\bremovedirs\b|\.unlink\(|\brimraf\b|\bdel-?tree\b|\bdelete-(?:file|directory)\b|(?<![.\w])rename\s*\(?\s*["'$]|\brenameSync\b|\bfs\.(?:promises\.)?rename\b|\bfile\s+delete\b|\bos\.remove\b|\bFile::Path\b|\bRemoveAll\b|\b[Pp]rocess\.kill\b/;
const writes =
  /open\s*\([^)]*,\s*(?:mode\s*=\s*)?['"][rb]?[wax+]|\bwriteFile(?:Sync)?\b|\bappendFile(?:Sync)?\b|\bcreateWriteStream\b|\bwrite_(?:text|bytes)\b|\bfile_put_contents\b|\bFile\.(?:write|open)\b|\bIO\.write\b|\bfopen\b|\bcopy(?:file|2|tree)?\s*\(|\bcopyFile(?:Sync)?\b|\bsymlink(?:Sync)?\b|\bDeno\.write|\bBun\.write|open\s*\(?[^;]*['"]\s*[>+]/i;
const network =
  /\bsocket\b|\burlopen\b|\burllib\b|\brequests?\.(?:get|post|put|patch|delete|request|Session)|\bhttpx?\.(?:get|post|put|request|client|Client|AsyncClient)|\bhttps\.(?:get|request)|\bfetch\s*\(|\baxios\b|\bNet::(?:HTTP|FTP|SMTP)|\bLWP\b|\bIO::Socket|\bTCPSocket\b|\bTCPServer\b|\bfsockopen\b|\bcurl_(?:init|exec)|\bnet\.(?:connect|createConnection|Socket|createServer)|require\s*\(\s*['"](?:node:)?(?:net|tls|dgram|http2)['"]\s*\)|\bsmtplib\b|\bftplib\b|\bparamiko\b|\bopen-uri\b|\bURI\.open\b|\bWebSocket\b|\bhttp\.server\b|\baiohttp\b|\bboto3\b|\bdns\.(?:lookup|resolve)/;
const loads =
  /\beval\s*[("'$]|(?<![.\w])exec\s*\(|(?<![.\w])compile\s*\(|\b__import__\b|\bimportlib\.import_module|\bgetattr\s*\(\s*(?:os|sys|subprocess|shutil|__builtins__|builtins)\b|\bnew Function\b|\bFunction\s*\(|\bctypes\b|\brequire\s*\(\s*['"]vm['"]|\bvm\.run|\bmarshal\.loads|\bpickle\.loads?\b|\brunpy\b|\bcode\.interact|\bloadstring\b|\binstance_eval|\bclass_eval|\bcreate_function|\bdlopen\b|\bprocess\.binding|\bprocess\.dlopen|\bglobals\s*\(\)|\b__builtins__\b|\bfromCharCode\b/;
const reverse =
  /\bsocket\b|['"](?:node:)?net['"]\s*\)\.(?:connect|createConnection)|Socket|fsockopen|\bnet\.(?:connect|Socket|createConnection)|\/inet\/(?:tcp|udp)|TCPClient|open_connection/;
const shellIn = /\/bin\/(?:ba|da|z|k|a)?sh\b|\bdup2\b|\bpty\.spawn|cmd\.exe|["'](?:ba|z|da)?sh\s+-i|powershell/;
const forkBomb =
  /\bfork\b[\s()]*while|while\s*(?:\(\s*)?(?:1|true|True|:)?\s*\)?\s*:?\s*[{(]?\s*(?:os\.)?fork\b|loop\s*[{]?\s*fork|fork\s*\(\)\s*while/;
const printsSecrets =
  /\bprint\w*\s*\(?\s*(?:dict\()?os\.environ\)?\s*(?:\)|$|[,;])|console\.log\(\s*process\.env\s*\)|\bprint_r\(\s*\$_(?:ENV|SERVER)|\bENV\.(?:to_h|each|inspect)|JSON\.stringify\(\s*process\.env/;
const elsewhere =
  /expanduser|Path\.home|homedir\s*\(|\bENV\s*\[\s*['"]HOME|getenv\s*\(\s*['"]HOME|environ(?:\.get\(|\[)\s*['"]HOME|process\.env\.HOME/;

/** Judges code of another language by what it is capable of: pure printing and computing passes. */
export function judgeCode(language: string, text: string, sink: CodeSink): void {
  const ask = (rule: string, reason: string, reach: Report['reach'] = 'anything'): void =>
    sink.report({ rule, reach, reason, durable: false });
  if (hasUnknown(text)) ask('exec.dynamic-code', `It runs ${language} code of which parts cannot be known beforehand.`);
  if (reverse.test(text) && shellIn.test(text)) {
    sink.report({
      rule: 'net.reverse-shell',
      verdict: 'deny',
      reach: 'network',
      reason: 'It connects a shell to the network, as a reverse shell does.',
      durable: false,
    });
  }
  if (forkBomb.test(text)) {
    sink.report({
      rule: 'proc.fork-bomb',
      verdict: 'deny',
      reach: 'processes',
      reason: 'It starts copies of itself without end, which stops the machine.',
    });
  }
  const literals = stringsOf(text.slice(0, longest));
  const starts = spawns.test(text) || (spawnsIn[language]?.test(text) ?? false);
  if (starts) {
    ask('code.spawns', `The ${language} code starts other programs.`);
    followStrings(literals, sink);
  }
  if (deletes.test(text)) {
    ask('code.deletes', `The ${language} code deletes or moves files or changes their rights.`, 'filesystem');
    for (const { value } of literals) {
      if (!/^[~/]/.test(value)) continue;
      const report = judgeDeletion(locate(expandHome(value, sink.context), sink.cwd), true, sink.context, sink.cwd);
      if (report?.verdict === 'deny') sink.report(report);
    }
    if (elsewhere.test(text) && /\brmtree\b|rmSync|remove_tree|rm_rf|rm_r\b/.test(text)) {
      const report = judgeDeletion(sink.context.home, true, sink.context, sink.cwd);
      if (
        report &&
        /(?:rmtree|rmSync|rm_rf?|remove_tree)\W+(?:os\.path\.|os\.|Path\.|Dir\.)?(?:expanduser|homedir|home)\W{1,4}~?\W{0,4}$/m.test(text)
      )
        sink.report(report);
    }
  }
  if (writes.test(text) || (starts && />/.test(text))) {
    for (const { value } of literals) {
      if (!/^(?:~|\/|\.)/.test(value) || value.length > 300 || /\s/.test(value)) continue;
      const report = judgeWriting(locate(expandHome(value, sink.context), sink.cwd), sink.context);
      if (report) sink.report(report);
    }
    if (elsewhere.test(text)) ask('code.writes', `The ${language} code writes to files in the home directory.`, 'filesystem');
  }
  if (network.test(text) && !onlyLocal(text)) ask('code.network', `The ${language} code talks to the network.`, 'network');
  if (loads.test(text)) ask('code.loads', `The ${language} code builds or loads other code while it runs.`);
  if (printsSecrets.test(text))
    ask('secret.environment', `The ${language} code shows the environment, which may hold secrets.`, 'credentials');
  for (const { value } of literals) {
    if (value.length > 300 || !/[/.]/.test(value) || /\s/.test(value)) continue;
    const report = judgeReading(locate(expandHome(value, sink.context), sink.cwd));
    if (report && /open|read|load|File|slurp/i.test(text)) sink.report(report);
  }
}

const expandHome = (value: string, context: JudgeContext): string =>
  value === '~' || value.startsWith('~/') ? context.home + value.slice(1) : value;

function onlyLocal(text: string): boolean {
  const hosts = [...text.matchAll(/\bhttps?:\/\/([^\s'"/`:)]+)/g)].map((match) => match[1] as string);
  return hosts.length > 0 && hosts.every((host) => /^(?:localhost|127\.\d|0\.0\.0\.0|\[::1\])/.test(host));
}

interface Literal {
  readonly value: string;
  /** What stands between this string and the next one. */
  readonly gap: string;
}

function stringsOf(text: string): Literal[] {
  const found: { value: string; start: number; end: number }[] = [];
  const pattern = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`|\b(?:q[qwx]?|%[qQwx])\s*(?:\(([^)]*)\)|\{([^}]*)\}|\[([^\]]*)\])/g;
  for (let match = pattern.exec(text); match && found.length < mostLiterals; match = pattern.exec(text)) {
    const value = match.slice(1).find((group) => group !== undefined) ?? '';
    found.push({ value: value.replace(/\\(['"\\])/g, '$1'), start: match.index, end: match.index + match[0].length });
  }
  return found.map(({ value, end }, index) => ({ value, gap: text.slice(end, found[index + 1]?.start ?? end) }));
}

/** Strings that start with the name of a known program are followed as shell text, and lists of strings as words. */
function followStrings(literals: readonly Literal[], sink: CodeSink): void {
  for (let index = 0; index < literals.length; index++) {
    const first = literals[index] as Literal;
    const name = /^\s*(?:sudo\s+)?([\w./-]+)/.exec(first.value)?.[1];
    if (!name || !programFor(name.slice(name.lastIndexOf('/') + 1))) continue;
    if (/\s/.test(first.value.trim())) sink.shell(first.value);
    else {
      const list = [first.value];
      for (
        let at = index;
        at + 1 < literals.length && /^[\s,[(]*(?:=>)?[\s,[(]*$/.test(literals[at]?.gap ?? '') && (literals[at]?.gap ?? '').includes(',');
        at++
      )
        list.push((literals[at + 1] as Literal).value);
      sink.words(list);
    }
  }
}
