import type { Call } from '../call.js';
import { isKnown } from '../flow.js';
import { UNKNOWN } from '../marks.js';
import type { Program } from '../program.js';
import { rule } from './databases-common.js';
import { judgeSql } from './sql.js';

/** Statements from options, files that this text wrote, and the input. */
function statements(call: Call, options: string, files: string): void {
  for (const code of call.values(options)) judgeSql(call, code.raw);
  for (const file of call.values(files)) {
    const content = call.at.written(call.path(file));
    if (isKnown(content)) judgeSql(call, content.text);
    else if (content)
      call.report('db.unknown', 'remote-service', 'It runs statements that cannot be known beforehand.', { durable: false });
  }
  if (!call.stdin || call.values(options).length) return;
  if (call.stdin.text !== undefined && call.stdin.text !== UNKNOWN) judgeSql(call, call.stdin.text);
  else if (call.stdin.sources.has('network') || call.stdin.sources.has('unknown') || call.stdin.sources.has('decoded'))
    call.report('db.unknown', 'remote-service', 'It runs statements that cannot be known beforehand.', { durable: false });
}

export const databasesSql: readonly Program[] = [
  {
    names: ['psql', 'pgcli', 'cockroach', 'usql', 'ysqlsh', 'gsql', 'vsql', 'crdb'],
    options: {
      values:
        '-c -d -f -h -U -p -v -o -L -F -P -R -T --command --dbname --file --host --username --port --set --variable --output --log-file --field-separator --pset -e --execute --url',
    },
    check: (call) => {
      statements(call, '-c --command -e --execute', '-f --file');
      for (const file of call.values('-o --output -L --log-file')) {
        if (file.raw.startsWith('|')) call.shell(file.raw.slice(1), { label: 'psql -o' });
        else call.writes(file);
      }
      if (call.name === 'cockroach' && /^(?:quit|drain)$/.test(call.operand(0) ?? ''))
        call.report('db.stop', 'remote-service', 'It stops a database server.');
      if (call.name === 'cockroach' && call.operand(0) === 'node' && /^(?:decommission|drain)$/.test(call.operand(1) ?? ''))
        call.report('db.stop', 'remote-service', 'It takes a machine out of the database.');
    },
    match: [
      'psql -c "DROP TABLE users"',
      'psql -c "delete from users;"',
      `psql -c '\\! id'`,
      'psql -c "COPY x TO PROGRAM \'sh\'"',
      'psql <<< "TRUNCATE logs"',
      "psql app <<'SQL'\nDROP SCHEMA public CASCADE;\nSQL",
      'psql -c "UPDATE users SET admin=true"',
      'psql -c "ALTER ROLE x SUPERUSER"',
      'psql -o ~/.bashrc -c "select 1"',
    ],
    not_match: [
      'psql -c "SELECT * FROM users WHERE id=1"',
      'psql -l',
      'psql -c "\\d users"',
      'psql -f schema.sql',
      'psql -c "DELETE FROM users WHERE id = 3"',
      'psql -c "EXPLAIN SELECT 1"',
      'psql -c "INSERT INTO notes VALUES (\'drop table x\')"',
      'psql mydb',
    ],
  },
  {
    names: [
      'mysql',
      'mariadb',
      'mycli',
      'mysqlsh',
      'tidb',
      'clickhouse-client',
      'clickhouse',
      'isql',
      'sqlcmd',
      'sqlplus',
      'db2',
      'presto',
      'trino',
      'hive',
      'beeline',
      'impala-shell',
      'cqlsh',
      'duckdb',
      'bteq',
      'osql',
      'exasql',
      'spark-sql',
      'athena',
      'snowsql',
      'snow',
    ],
    options: {
      values:
        '-e -u -h -P -D -S -d -q -Q -i -o -U -s -f -k --execute --user --host --port --database --pager --tee --query --init-command --file --server --outfile -c --command --login-path --defaults-file --socket',
    },
    rules: [
      {
        id: 'option.runs',
        reach: 'anything',
        option: '--pager',
        reason: 'One of its options runs another program.',
        test: (call) => !/^(?:less|more|cat)\b/.test(call.value('--pager')?.text ?? ''),
      },
    ],
    check: (call) => {
      statements(call, '-e --execute -q -Q --query --init-command -c --command', '-f --file -i');
      for (const file of call.values('--tee -o --outfile')) call.writes(file);
      if (call.name === 'duckdb') for (const operand of call.operands.slice(1)) judgeSql(call, operand.raw);
    },
    match: [
      'mysql -e "DROP DATABASE app"',
      `mysql -e '\\! id'`,
      'mysql -e "system id"',
      'mysql -u root -p app -e "truncate table logs"',
      'mysql --pager=./x',
      'echo "drop table x" | mysql app',
      'sqlcmd -Q "DROP TABLE x"',
      'clickhouse-client -q "DROP TABLE x"',
      'cqlsh -e "DROP KEYSPACE x"',
      `mysql -e "SELECT 1 INTO OUTFILE '/tmp/x'"`,
    ],
    not_match: [
      'mysql -e "SHOW TABLES"',
      'mysql app < schema.sql',
      'mysql -u root -e "SELECT 1"',
      'clickhouse-client -q "SELECT 1"',
      'duckdb x.db "select 1"',
    ],
  },
  {
    names: ['sqlite3', 'sqlite', 'litecli', 'sqlcipher', 'spatialite', 'libsql'],
    options: { values: '-init -cmd -separator -nullvalue -newline -mmap -lookaside -maxsize -A', style: 'words' },
    rules: [{ id: 'option.reads', reach: 'anything', option: '-init', reason: 'It takes commands from a file, which can run programs.' }],
    check: (call) => {
      for (const code of [...call.values('-cmd'), ...call.operands.slice(1)]) judgeSql(call, code.raw);
      if (call.stdin && call.operands.length < 2) statements(call, '', '');
    },
    match: [
      'sqlite3 a.db "DROP TABLE x"',
      'sqlite3 a.db ".shell id"',
      'sqlite3 a.db ".output |sh"',
      'sqlite3 a.db "delete from x"',
      'sqlite3 -init /tmp/x a.db',
      `sqlite3 -cmd '.system id' a.db`,
      'sqlite3 a.db ".load ./x"',
    ],
    not_match: [
      'sqlite3 a.db ".tables"',
      'sqlite3 a.db "select count(*) from x"',
      'sqlite3 a.db .schema',
      'sqlite3 a.db ".mode csv" "select 1"',
    ],
  },
  {
    names: [
      'dropdb',
      'dropuser',
      'pg_ctl',
      'pg_ctlcluster',
      'pg_dropcluster',
      'pg_resetwal',
      'pg_restore',
      'pg_rewind',
      'initdb',
      'createuser',
      'mysqladmin',
      'mariadb-admin',
      'pgbackrest',
      'wal-g',
      'barman',
      'mysqlimport',
      'pg_upgradecluster',
      'repmgr',
      'patronictl',
      'pg_archivecleanup',
    ],
    options: { values: '-U -h -p -d -u -D -m --host --port --username --dbname --stanza -P --pgdata' },
    rules: [
      rule('drop', 'It deletes a database, its users or its files.', {
        test: (call) =>
          /^(?:dropdb|dropuser|pg_dropcluster|pg_resetwal|pg_rewind|pg_archivecleanup)$/.test(call.name) && !call.has('--dry-run -n'),
      }),
      rule('drop', 'It deletes a database, stops a server or deletes backups.', {
        when: '... drop|flush-*|shutdown|kill|stop|restart|delete|expire|stanza-delete|reload|reinit|failover|switchover|remove|restore|password|wipe-*|everything|standby|cluster',
        test: (call) =>
          call.operands.some((operand) =>
            /^(?:drop|flush-.*|shutdown|kill|stop|restart|delete|expire|stanza-delete|reinit|failover|switchover|remove|restore|password)$/.test(
              operand.text,
            ),
          ),
      }),
      rule('restore', 'It deletes objects before it restores them.', { option: '-c --clean', test: (call) => call.name === 'pg_restore' }),
    ],
    match: [
      'dropdb app',
      'mysqladmin drop app',
      'mysqladmin shutdown',
      'pg_ctl stop -m immediate',
      'pg_restore --clean -d app x.dump',
      'wal-g delete everything',
      'pgbackrest expire',
      'patronictl failover',
    ],
    not_match: [
      'mysqladmin status',
      'pg_ctl status',
      'pg_restore -l x.dump',
      'pg_restore -d app x.dump',
      'patronictl list',
      'wal-g backup-list',
    ],
  },
];
