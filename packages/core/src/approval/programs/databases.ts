import type { Call } from '../call.js';
import { isKnown } from '../flow.js';
import { hasUnknown, UNKNOWN } from '../marks.js';
import type { Program, Rule } from '../program.js';
import type { Arg } from '../word.js';
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

const redisDanger =
  /^(?:flushall|flushdb|shutdown|module|eval|evalsha|eval_ro|fcall|function|script|slaveof|replicaof|failover|cluster|acl|swapdb|debug|migrate|restore|bgrewriteaof|monitor|unlink|del|xtrim|xdel|ltrim|zremrangebyrank|zremrangebyscore|zremrangebylex|sdiffstore|rename|client|latency|reset|getdel|hdel|expire|pexpire|persist|save)$/i;

function redisCommand(call: Call, words: readonly Arg[]): void {
  const [verb, sub] = [words[0]?.text ?? '', (words[1]?.text ?? '').toLowerCase()];
  if (!verb) return;
  if (words[0]?.dynamic)
    call.report('db.unknown', 'remote-service', 'What it asks of the database cannot be known beforehand.', { durable: false });
  else if (/^config$/i.test(verb)) {
    if (/^(?:set|rewrite|resetstat)$/.test(sub))
      call.report('db.configure', 'remote-service', 'It changes the settings of the database server, with which it can write files.');
  } else if (/^(?:acl|client|script|cluster|module|debug|function|latency)$/i.test(verb)) {
    if (
      !/^(?:list|getuser|whoami|users|cat|info|nodes|slots|shards|myid|getname|id|no-evict|kill-help|object|sleep|exists|help|dump|stats|doctor|latest|history|countkeysinslot|keyslot)$/.test(
        sub,
      )
    )
      call.report('db.configure', 'remote-service', `It changes the database server: ${verb} ${sub}.`);
  } else if (redisDanger.test(verb)) call.report('db.delete', 'remote-service', `It deletes data of the database or stops it: ${verb}.`);
}

const mongoDanger =
  /\b(?:drop\w*|remove|delete(?:One|Many)|deleteIndex\w*|findOneAndDelete|findOneAndReplace|shutdownServer|renameCollection|fsyncLock|updateMany|replaceOne|bulkWrite|createUser|dropUser|grantRoles\w*|updateUser|changeUserPassword|killOp|killSessions|eval|load|rs\.(?:reconfig|remove|stepDown|initiate)|sh\.\w+|\$where|\$out|\$merge|convertToCapped|compact|logout)\s*\(|\b(?:adminCommand|runCommand)\s*\(\s*\{?\s*['"]?(?:drop|shutdown|delete|remove|create(?:User|Role)|update|setParameter|renameCollection|fsync|eval|compact|findAndModify|repl|kill|grant|revoke|enable|shard|move|flush|convert|reIndex|configure|set)/;

const rule = (id: string, reason: string, more: Partial<Rule>): Rule => ({ id: `db.${id}`, reach: 'remote-service', reason, ...more });
const dry = '--dry-run --dryrun -n --pretend --plan --noop';

export const databases: readonly Program[] = [
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
    names: ['redis-cli', 'valkey-cli', 'keydb-cli', 'iredis', 'dragonfly'],
    options: {
      values:
        '-h -p -s -a -u -n -r -i -t -d -D -x --user --pass --eval --host --cluster --tls-ca --cacert --cert --key --rdb --functions-rdb',
      stop: true,
    },
    check: (call) => {
      if (call.has('--eval')) call.report('db.script', 'remote-service', 'It runs a script on the database server.', { durable: false });
      const cluster = call.value('--cluster')?.text;
      if (cluster && !/^(?:info|check|help|backup)$/.test(cluster))
        call.report('db.configure', 'remote-service', 'It changes a cluster of databases.');
      for (const file of call.values('--rdb --functions-rdb')) call.writes(file);
      redisCommand(call, call.operands);
      if (!call.operands.length && call.stdin) {
        if (isKnown(call.stdin))
          for (const line of call.stdin.text.split('\n').slice(0, 200))
            redisCommand(
              call,
              line
                .trim()
                .split(/\s+/)
                .map((word) => call.literal(word)),
            );
        else call.report('db.unknown', 'remote-service', 'What it asks of the database cannot be known beforehand.', { durable: false });
      }
    },
    match: [
      'redis-cli FLUSHDB',
      'redis-cli -h h -n 1 flushall async',
      'redis-cli config set dir /etc',
      'redis-cli --eval x.lua',
      'echo FLUSHALL | redis-cli',
      'redis-cli shutdown nosave',
      'redis-cli eval "return 1" 0',
      'redis-cli del user:1',
      'redis-cli module load ./x.so',
    ],
    not_match: [
      'redis-cli ping',
      'redis-cli get x',
      'redis-cli -h h info',
      'redis-cli config get maxmemory',
      'redis-cli set a 1',
      'redis-cli --scan',
      'redis-cli client list',
    ],
  },
  {
    names: ['mongosh', 'mongo', 'mongodump', 'mongorestore', 'mongoimport', 'mongoexport'],
    options: { values: '--eval -u -p --host --port --username --password --uri -d -c --db --collection -f --file -o --out --query' },
    rules: [rule('restore', 'It deletes collections before it restores them.', { option: '--drop' })],
    check: (call) => {
      for (const code of call.values('--eval')) {
        if (mongoDanger.test(code.text) || code.dynamic)
          call.report('db.delete', 'remote-service', 'It deletes or changes data of the database, or the database itself.');
        if (/child_process|\brun\w*Program|require\s*\(/.test(code.text)) call.code('node', code.raw);
      }
      const text = call.stdin?.text;
      if (/^mongo(?:sh)?$/.test(call.name) && call.stdin && (text === undefined || mongoDanger.test(text) || hasUnknown(text)))
        call.report('db.delete', 'remote-service', 'It deletes or changes data of the database, or runs what cannot be known beforehand.');
      for (const file of call.values('-o --out')) call.writes(file);
    },
    match: [
      'mongosh --eval "db.dropDatabase()"',
      'mongosh app --eval "db.users.deleteMany({})"',
      'mongorestore --drop dump/',
      "mongosh <<'END'\ndb.users.drop()\nEND",
      'mongo --eval "db.shutdownServer()"',
    ],
    not_match: ['mongosh --eval "db.users.find()"', 'mongodump -o backup', 'mongosh --eval "db.stats()"'],
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
  {
    names: [
      'etcdctl',
      'zkCli.sh',
      'zkCli',
      'influx',
      'cbq',
      'couchbase-cli',
      'neo4j-admin',
      'cypher-shell',
      'nodetool',
      'arangosh',
      'rethinkdb',
      'memcached-tool',
      'memcstat',
      'elasticsearch-plugin',
      'elasticsearch-reset-password',
      'curator',
      'es_repo_mgr',
      'opensearch-plugin',
      'elasticdump',
      'solr',
      'hbase',
      'hdfs',
      'hadoop',
      'yarn-hadoop',
      'mapr',
      'ozone',
      'riak-admin',
      'aql',
      'asadm',
      'scylla',
      'graylog-ctl',
      'temporal',
      'tctl-temporal',
    ],
    options: {
      values:
        '-h -p -u -e -f -o -d -t -n --endpoints --host --port --user --password --org --bucket --token --database --file --namespace -s --start --stop',
    },
    rules: [
      rule('delete', 'It deletes data of a database or stops it.', {
        when: '... del|delete|rmr|deleteall|rm|remove|drop|destroy|purge|wipe|truncate|clear|decommission|removenode|assassinate|drain|flush|bucket-delete|bucket-flush|defrag|-rm|-rmr|-rmdir|-delete*|-format|namenode|disable|terminate|cancel|stop|kill|delete_indices|snapshot-delete|clearsnapshot|cleanup',
        unless: dry,
        test: (call) => !/^(?:list|get|show|status|info)$/.test(call.operand(0) ?? ''),
      }),
      rule('delete', 'It deletes data of a database.', {
        test: (call) =>
          /^(?:hdfs|hadoop|ozone)$/.test(call.name) &&
          call.args.some((arg) => /^-(?:rm|rmr|rmdir|expunge|format|truncate|deleteSnapshot)$/.test(arg.raw)),
      }),
    ],
    check: (call) => {
      for (const code of [...call.values('-e'), ...(call.name === 'cypher-shell' || call.name === 'influx' ? call.operands : [])])
        if (/\b(?:DETACH\s+DELETE|DELETE|DROP|REMOVE|TRUNCATE)\b/i.test(code.text))
          call.report('db.delete', 'remote-service', 'It deletes data of a database.');
      if (/^(?:hbase|zkCli.*)$/.test(call.name) && call.stdin) judgeSql(call, call.stdin.text ?? UNKNOWN);
    },
    match: [
      'etcdctl del / --prefix',
      'influx delete --bucket b',
      'nodetool decommission',
      'hdfs dfs -rm -r /data',
      'cypher-shell "MATCH (n) DETACH DELETE n"',
      'influx bucket delete -n b',
      'zkCli.sh deleteall /x',
    ],
    not_match: ['etcdctl get x', 'nodetool status', 'hdfs dfs -ls /', 'influx bucket list', 'etcdctl endpoint health'],
  },
  {
    names: [
      'kafka-topics',
      'kafka-topics.sh',
      'kafka-consumer-groups',
      'kafka-consumer-groups.sh',
      'kafka-configs',
      'kafka-configs.sh',
      'kafka-delete-records',
      'kafka-delete-records.sh',
      'kafka-acls',
      'kafka-acls.sh',
      'kafka-storage',
      'kafka-reassign-partitions',
      'kafka-reassign-partitions.sh',
      'kafka-leader-election',
      'kafka-server-stop',
      'kafka-server-stop.sh',
      'kafka-streams-application-reset',
      'zookeeper-server-stop',
      'zookeeper-shell',
    ],
    options: {
      style: 'words',
      values:
        '--bootstrap-server --topic --group --zookeeper --entity-type --entity-name --config --command-config --add-config --delete-config --partitions --replication-factor --to-offset --reset-offsets-json --offset-json-file',
    },
    rules: [
      rule('delete', 'It deletes topics, groups, records or settings.', {
        option: '--delete --remove --delete-config --delete-offsets',
        unless: dry,
      }),
      rule('delete', 'It moves or deletes what consumers have read.', {
        option: '--reset-offsets --execute',
        unless: '--dry-run',
        test: (call) => call.has('--execute'),
      }),
      rule('delete', 'It deletes records or stops the server.', {
        test: (call) =>
          /delete-records|server-stop|application-reset/.test(call.name) || (call.name === 'kafka-storage' && call.operand(0) === 'format'),
      }),
      rule('configure', 'It changes the settings of topics or who may use them.', {
        option: '--alter --add',
        test: (call) => /configs|topics|acls/.test(call.name),
      }),
    ],
    match: [
      'kafka-topics.sh --delete --topic x --bootstrap-server h:9092',
      'kafka-consumer-groups --group g --reset-offsets --to-earliest --execute --topic x',
      'kafka-delete-records --offset-json-file x',
      'kafka-configs --alter --entity-type topics --entity-name x --add-config retention.ms=1',
    ],
    not_match: [
      'kafka-topics --list --bootstrap-server h:9092',
      'kafka-topics --create --topic x',
      'kafka-consumer-groups --describe --group g',
      'kafka-consumer-groups --reset-offsets --dry-run --group g',
    ],
  },
  {
    names: [
      'nats',
      'rabbitmqctl',
      'rabbitmqadmin',
      'rabbitmq-plugins',
      'rpk',
      'kcat',
      'pulsar-admin',
      'mosquitto_pub',
      'amq',
      'activemq',
      'kafkactl',
      'kaf',
      'confluent',
      'bull',
      'sidekiqctl',
      'beanstool',
      'nsqadmin',
      'celery',
      'rq',
      'resque',
      'gearadmin',
      'stan',
    ],
    options: { values: '-s -n -p -u -q -V -A -b -t -c -H --server --context --vhost --user --password --app --brokers --broker --queue' },
    rules: [
      rule('delete', 'It deletes messages, streams or queues, or stops the service.', {
        when: '... rm|delete|del|purge|reset|force_reset|delete_*|purge_*|stop|stop_app|shutdown|drain|destroy|remove|clear_*|forget_cluster_node|trim-prefix|terminate|seal|kill|decommission|empty|rm-*|delete-*|purge-*|flush|close_*|clear|revoke|restart|control',
        unless: dry,
        test: (call) =>
          !/^(?:list|info|get|status|inspect|report)$/.test(call.operand(0) ?? '') &&
          (call.name !== 'celery' || /^(?:purge|control)$/.test(call.operand(0) ?? '')),
      }),
    ],
    match: [
      'nats stream rm ORDERS -f',
      'rabbitmqctl reset',
      'rabbitmqctl delete_queue q',
      'rpk topic delete x',
      'celery -A app purge -f',
      'rabbitmqadmin delete queue name=q',
      'nats kv del b',
      'pulsar-admin topics delete x',
      'nats stream purge X',
    ],
    not_match: [
      'nats stream ls',
      'rabbitmqctl list_queues',
      'rpk topic list',
      'rabbitmqctl status',
      'celery -A app worker',
      'nats pub x hi',
    ],
  },
  {
    inProject: true,
    names: [
      'prisma',
      'drizzle-kit',
      'knex',
      'sequelize',
      'sequelize-cli',
      'typeorm',
      'mikro-orm',
      'rails',
      'rake',
      'artisan',
      'flyway',
      'liquibase',
      'alembic',
      'goose',
      'dbmate',
      'migrate',
      'atlas',
      'sqlx',
      'diesel',
      'django-admin',
      'flask',
      'ecto',
      'mix',
      'doctrine',
      'phinx',
      'manage.py',
      'symfony',
      'console',
      'sea-orm-cli',
      'ent',
      'hasura-cli',
      'umzug',
      'db-migrate',
      'node-pg-migrate',
      'payload',
      'strapi',
      'medusa',
      'lucid',
      'ace',
      'bin/rails',
      'bin/rake',
      'edgedb',
      'gel',
      'skeema',
      'pgroll',
      'reshape',
      'bytebase',
      'sqitch',
      'dbt-cloud',
    ],
    options: { values: '-n -c -d -u -e --name --schema --config --database --url --path -database -path -source --env --target' },
    rules: [
      rule('reset', 'It deletes the data of the database.', { when: 'migrate reset', unless: dry }),
      rule('reset', 'It deletes the data of the database.', {
        when: '... db:drop|db:drop:all|db:reset|db:purge|db:truncate_all|db:schema:load|db:structure:load|db:migrate:reset|db:rollback|db:drop:_unsafe|db:wipe|migrate:fresh|migrate:refresh|migrate:reset|migrate:rollback|migrate:undo:all|db:migrate:undo:all|db:migrate:undo|db:seed:replant|schema:drop|schema:sync|query|ecto.drop|ecto.reset|ecto.rollback|flush|sqlflush|reset_db|clean|drop-all|dropAll|drop-all-objects|drop|rollback|undo|downgrade|wipe|purge|reset|migrate:down|down|revert|doctrine:database:drop|doctrine:schema:drop|doctrine:fixtures:load|doctrine:query:sql|db:destroy|zap|nuke',
        unless: `${dry} --sql --check`,
        test: dropsData,
      }),
      rule('reset', 'It lets the database lose data to fit the schema.', { when: 'db push', option: '--force-reset --accept-data-loss' }),
      rule('execute', 'It runs statements on the database.', { when: 'db execute' }),
      rule('console', 'It takes code that nobody has seen yet.', {
        when: 'tinker|console|c|shell|dbconsole|db|runner|shell_plus|dbshell|eval|run',
        reach: 'anything',
        test: takesCode,
      }),
    ],
    check: (call) => {
      const code = call.value('--execute');
      if (call.name === 'artisan' && code) call.code('php', code.raw);
      if (/^(?:manage\.py|django-admin)$/.test(call.name) && /^shell/.test(call.operand(0) ?? ''))
        for (const one of call.values('-c --command')) call.code('python', one.raw);
      if (
        /rails$/.test(call.name) &&
        call.operand(0) === 'runner' &&
        call.operands[1] &&
        /[\s(.]/.test(call.operands[1].raw) &&
        !/\.rb$/.test(call.operands[1].raw)
      )
        call.code('ruby', call.operands[1].raw);
      if (call.name === 'rake')
        for (const option of call.options) if (option.name === '-e' && option.value) call.code('ruby', option.value.raw);
      if (call.name === 'mix' && /^(?:hex\.publish|hex\.retire|hex\.owner|hex\.user)$/.test(call.operand(0) ?? ''))
        call.report('registry.publish', 'remote-service', 'It publishes a package, or changes who may.');
    },
    match: [
      'prisma migrate reset --force',
      'rails db:drop',
      'rails db:reset',
      'artisan migrate:fresh --seed',
      'artisan db:wipe',
      'flyway clean',
      'alembic downgrade base',
      'mix ecto.drop',
      'manage.py flush',
      'prisma db push --force-reset',
      'rake db:drop',
      'artisan tinker',
      'liquibase drop-all',
      'knex migrate:rollback --all',
      'sequelize db:drop',
      'diesel database reset',
      'sqlx database drop',
    ],
    not_match: [
      'prisma generate',
      'prisma migrate dev',
      'rails db:migrate',
      'rails test',
      'artisan test',
      'alembic upgrade head',
      'mix test',
      'manage.py runserver',
      'flyway info',
      'prisma studio',
      'rake test',
      'knex migrate:latest',
      'mix ecto.migrate',
      'flask run',
      'rake clean',
    ],
  },
];

/** Ordinary words count only for programs where they mean data. */
function dropsData(call: Call): boolean {
  const text = call.operands.map((operand) => operand.text).join(' ');
  if (
    /^(?:rake|mix|rails|flask|symfony|console|artisan|django-admin|manage\.py|ace|strapi)$/.test(call.name) &&
    !/[:.]|\bflush\b|\bsqlflush\b|reset_db|\bdb (?:drop|reset|downgrade)\b/.test(text)
  )
    return false;
  if (/^(?:query)/.test(call.operand(0) ?? '')) return call.name === 'typeorm';
  return true;
}

function takesCode(call: Call): boolean {
  const verb = call.operand(0) ?? '';
  if (call.name === 'artisan') return verb === 'tinker';
  if (/rails$/.test(call.name)) return /^(?:console|c|dbconsole|db)$/.test(verb) && call.operands.length === 1;
  if (/^(?:manage\.py|django-admin)$/.test(call.name)) return /^(?:shell|shell_plus|dbshell)$/.test(verb) && !call.has('-c --command');
  return call.name === 'flask' && verb === 'shell';
}
