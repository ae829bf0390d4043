import type { Program } from '../program.js';
import { dry, rule } from './databases-common.js';

export const messaging: readonly Program[] = [
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
];
