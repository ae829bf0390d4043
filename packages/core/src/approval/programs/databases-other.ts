import type { Call } from '../call.js';
import { isKnown } from '../flow.js';
import { hasUnknown, UNKNOWN } from '../marks.js';
import type { Program } from '../program.js';
import type { Arg } from '../word.js';
import { dry, rule } from './databases-common.js';
import { judgeSql } from './sql.js';

const redisDanger =
  /^(?:flushall|flushdb|shutdown|module|eval|evalsha|eval_ro|fcall|function|script|slaveof|replicaof|failover|cluster|acl|swapdb|debug|migrate|restore|bgrewriteaof|unlink|del|xtrim|xdel|ltrim|zremrangebyrank|zremrangebyscore|zremrangebylex|sdiffstore|rename|client|latency|reset|getdel|hdel|expire|pexpire|persist|save)$/i;

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

export const databasesOther: readonly Program[] = [
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
];
