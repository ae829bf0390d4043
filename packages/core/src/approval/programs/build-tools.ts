import type { Program } from '../program.js';
import { outside, rule, runs } from './build-common.js';

export const buildTools: readonly Program[] = [
  {
    names: ['mvn', 'mvnw', 'mvnd', 'gradle', 'gradlew', 'ant'],
    inProject: true,
    options: {
      values:
        '-s -gs -f -pl -P -T -I -b -c -g -p --settings --file --init-script --build-file --settings-file --gradle-user-home --project-dir -x -D',
    },
    rules: [
      runs({ when: '... exec:exec|exec:java|antrun:run|groovy:execute|*exec-maven-plugin*|*gmaven*|*antrun*' }),
      runs({
        option: '-s -gs --settings --global-settings -I --init-script -g --gradle-user-home',
        test: (call) =>
          call
            .values('-s -gs --settings --global-settings -I --init-script -g --gradle-user-home')
            .some((file) => outside(call, file.raw) || /\.gradle$/.test(file.text)) || call.has('-I --init-script'),
      }),
      runs({
        test: (call) => call.args.some((arg, index) => arg.raw === '-gs' && outside(call, call.args[index + 1]?.raw ?? '')),
      }),
      runs({
        test: (call) =>
          call.args.some((arg) =>
            /^-D(?:exec\.|maven\.ext\.class\.path|maven\.repo\.remote|org\.gradle\.jvmargs|maven\.multiModule)/.test(arg.raw),
          ) || call.values('-f --file -b --build-file -c --settings-file -p --project-dir').some((file) => outside(call, file.raw)),
      }),
      rule('registry.publish', 'remote-service', 'It publishes what was built.', {
        when: '... deploy|release:perform|release:prepare|site:deploy|*:deploy|publish|publishToMavenCentral|publishPlugins|uploadArchives|closeAndReleaseRepository|publishAllPublicationsTo*|*:publish|publishAll*|jreleaserFullRelease|nexus-staging:*|deploy:deploy-file',
        unless: '--dry-run -m',
        test: (call) => call.name !== 'ant',
      }),
    ],
    match: [
      'mvn exec:exec -Dexec.executable=./x',
      'mvn deploy',
      'gradle publish',
      'gradle -c /tmp/settings.gradle build',
      './gradlew -I /tmp/x.gradle build',
      'mvn -s /tmp/s.xml test',
      'mvn -gs /tmp/s.xml test',
      'mvn release:perform',
      'ant -f /tmp/b.xml',
    ],
    not_match: [
      'mvn -q test',
      './gradlew build',
      'gradle test --info',
      'mvn package -DskipTests',
      './mvnw verify',
      'ant test',
      'gradle publishToMavenLocal',
    ],
  },
  {
    names: ['pytest', 'py.test', 'nosetests', 'pre-commit', 'coverage', 'invoke-py'],
    options: {
      values:
        '-p -c -o -k -m -n -W --rootdir --basetemp --confcutdir --pdbcls --cov --junitxml --maxfail --tb --timeout --ignore --deselect',
    },
    rules: [
      runs({
        option: '-p',
        test: (call) =>
          call.name.startsWith('py') &&
          call.values('-p').some((value) => !/^no:|^(?:xdist|pytest_\w+|randomly|cacheprovider|asyncio)$/.test(value.text)),
      }),
      runs({ option: '--pdbcls', test: () => true }),
      runs({
        option: '-c --rootdir --confcutdir',
        test: (call) => call.values('-c --rootdir --confcutdir').some((file) => outside(call, file.raw)),
      }),
      rule('fs.delete', 'filesystem', 'It empties the directory of its temporary files first.', {
        option: '--basetemp',
        test: (call) => call.values('--basetemp').some((file) => !/^\/tmp\/[\w-]+/.test(file.text)),
      }),
      rule('git.hooks', 'anything', 'It changes which commands git runs.', {
        when: 'uninstall|init-templatedir',
        test: (call) => call.name === 'pre-commit',
      }),
    ],
    match: ['pytest -p evil', 'pytest --basetemp=src', 'pytest -c /tmp/x.ini', 'pytest --pdbcls=x:y'],
    not_match: [
      'pytest',
      'pytest -x tests/test_a.py::test_b',
      'pytest -k "not slow" -n auto',
      'pytest -p no:cacheprovider',
      'pre-commit run --all-files',
      'coverage report',
    ],
  },
];
