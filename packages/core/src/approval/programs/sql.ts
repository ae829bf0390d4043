import type { Call } from '../call.js';
import { hasUnknown, UNKNOWN } from '../marks.js';

/** Comments and strings hold words that are no statements. */
function withoutStrings(text: string): string {
  return text.replace(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\$\$[\s\S]*?\$\$/g, (match) =>
    match.startsWith("'") || match.startsWith('$') ? "''" : ' ',
  );
}

const drops =
  /^\s*(?:drop\s+(?!.*\btemporary\b)(?:table|database|schema|index|view|materialized|user|role|column|type|function|procedure|trigger|sequence|extension|policy|keyspace|collection|tablespace|owned|publication|subscription|server|domain|all|if|constraint|event|package|synonym|login|stream|stage|warehouse|dictionary|partition|\S+)|truncate\b|alter\s+(?:system|database|server)\b|alter\s+(?:role|user)\b|alter\s+table\s+.*\bdrop\b|create\s+(?:user|role|login)\b|grant\b|revoke\b|reindex\s+system|shutdown\b|kill\b|purge\b|flush\s|reset\s+(?:master|slave|replica)|set\s+(?:global|password)\b|load\s+data|vacuum\s+full|lock\s+tables|detach\s+partition|optimize\s+table|rename\s+table|call\s+|exec(?:ute)?\b|do\b\s*'|merge\s+into|replace\s+into\b.*select|install\s+plugin|create\s+(?:or\s+replace\s+)?(?:function|extension|procedure|trigger|event|aggregate|language)\b|lo_import|lo_export|import\s+foreign|use\s+role\s+accountadmin|undrop\b)/i;
const changesAll = /^\s*(?:with\b[\s\S]*?\)\s*)?(?:delete\s+(?:from\s+)?|update\s+)[\s\S]*/i;
const always = /^(?:\s*true\s*|\s*1\s*=\s*1\s*|\s*1\s*|\s*''\s*=\s*''\s*|\s*not\s+false\s*|\s*1\s*<>\s*0\s*)$/i;
const programs =
  /\bcopy\b[\s\S]*\b(?:to|from)\s+program\b|\bpg_read_(?:binary_)?file\b|\bpg_ls_dir\b|\blo_(?:import|export)\b|\bdblink\w*\b|\binto\s+(?:out|dump)file\b|\bload_file\s*\(|\bxp_cmdshell\b|\bsp_configure\b|\bsys_(?:exec|eval)\b|\bload_extension\s*\(|\bwritefile\s*\(|\breadfile\s*\(|\bedit\s*\(|\bopenrowset\b|\butl_(?:file|http|tcp)\b|\bdbms_(?:scheduler|java)\b|\bpg_terminate_backend\b|\bpg_reload_conf\b|\binstall\s+\w+\s*;?\s*load\b/i;

/** Judges statements of SQL and commands of its clients. */
export function judgeSql(call: Call, text: string): void {
  const ask = (id: string, reason: string, reach: 'remote-service' | 'anything' = 'remote-service'): void =>
    call.report(`db.${id}`, reach, reason, { durable: false });
  if (text === UNKNOWN || (hasUnknown(text) && /^[\uE000\uE001\s]/.test(text))) {
    ask('unknown', 'It runs statements that cannot be known beforehand.');
    return;
  }
  clientCommands(call, text);
  const plain = withoutStrings(text);
  if (programs.test(plain)) ask('program', 'It runs a program or reads and writes files on the database server.', 'anything');
  for (const statement of plain.split(';')) {
    if (drops.test(statement)) ask('drop', `It deletes or changes more than rows: ${statement.trim().slice(0, 60)}`);
    else if (changesAll.test(statement)) {
      const where = /\bwhere\b([\s\S]*)$/i.exec(statement)?.[1];
      if (where === undefined ? !/\b(?:for\s+update|on\s+(?:delete|update))\b/i.test(statement) : always.test(where))
        ask('change-all', 'It deletes or changes every row of a table.');
    }
  }
}

/** `\!` of psql and mysql, `.shell` of sqlite and their like. */
function clientCommands(call: Call, text: string): void {
  const ask = (reason: string): void => call.report('db.client-command', 'anything', reason, { durable: false });
  for (const line of text.split('\n').slice(0, 2000)) {
    const shell = /^\s*(?:\\!|\.(?:shell|system)\b|system\s+|!(?=\s*\w))\s*(.*)$/i.exec(line) ?? /\\!\s*(.*)$/.exec(line);
    if (shell) {
      ask('It has the database client run a command.');
      if (shell[1]) call.shell(shell[1], { label: call.name });
      continue;
    }
    const piped =
      /^\s*\\(?:o|g|w|copy\b.*\bprogram)\s*\|?\s*(.*)$/i.exec(line) ??
      /\\(?:o|g|w)\s+\|(.*)$/.exec(line) ??
      /^\s*\.(?:output|once|log|import|excel|trace)\s+(\S.*)$/.exec(line);
    if (piped?.[1] && (/\|/.test(line) || /program/i.test(line))) {
      ask('It has the database client run a command.');
      call.shell(piped[1].replace(/^['"|]+|['"]+$/g, ''), { label: call.name });
    } else if (piped?.[1] && /^\s*(?:\\[ow]|\.(?:output|once|log))\b/.test(line)) call.writes(piped[1].trim());
    if (
      /^\s*\.(?:load|save|restore|clone|open\s+--new|archive|ar|cd)\b|^\s*(?:\\(?:i|ir|include|setenv|cd)\b|source\s+\S)/i.test(line) &&
      !/^\s*\\i[r]?\s+[\w./-]+\.sql\s*$/.test(line)
    )
      ask('It has the database client load code, or write over a database.');
    if (/^\s*(?:pager|tee|edit)\s+\S|^\s*\\(?:P|T|e)\s+\S/.test(line) && !/^\s*(?:pager|\\P)\s+(?:less|more|cat)/.test(line))
      ask('It has the database client run a program or write a file.');
  }
}
