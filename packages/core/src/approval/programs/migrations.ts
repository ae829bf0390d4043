import type { Call } from '../call.js';
import type { Program } from '../program.js';
import { dry, rule } from './databases-common.js';

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

export const migrations: readonly Program[] = [
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
