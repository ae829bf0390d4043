import type { Call } from '../call.js';
import { isCatastrophic, isSecret } from '../path-policy.js';
import type { Program, Rule } from '../program.js';
import { applyRules } from '../program-rules.js';

const rule = (id: string, reason: string, more: Partial<Rule> = {}): Rule => ({ id: `container.${id}`, reach: 'host', reason, ...more });

const globals = {
  values:
    '-H -c -l --host --context --config --log-level --tlscacert --tlscert --tlskey --connection --url --identity --namespace -n --address -a --root --storage-opt',
  stop: true,
} as const;

const runOptions = {
  values:
    '-a -c -e -h -l -m -p -u -v -w --add-host --annotation --attach --blkio-weight --cap-add --cap-drop --cgroup-parent --cgroupns --cidfile --cpus --cpu-shares --cpuset-cpus --device --device-cgroup-rule --dns --entrypoint --env --env-file --expose --gpus --group-add --health-cmd --hostname --ip --ipc --isolation --label --label-file --link --log-driver --log-opt --mac-address --memory --memory-swap --mount --name --net --network --network-alias --pid --pids-limit --platform --publish --pull --restart --runtime --security-opt --shm-size --stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit --user --userns --uts --volume --volumes-from --volume-driver --workdir --env-host --pod --secret --annotation --detach-keys --service --index',
  stop: true,
} as const;

const sockets = /(?:docker|podman|containerd|crio)\.sock$|^\/var\/run\/?$|^\/run\/?$/;

/** Source and target of `-v a:b:ro` and `--mount type=bind,source=a,target=b`. */
function mountsOf(call: Call): { source: string; target: string; readOnly: boolean }[] {
  const mounts = call.values('-v --volume').flatMap(({ raw }) => {
    const [source, target, mode] = raw.split(':');
    return source && target && /^[/.~\uE000]/.test(source) ? [{ source, target, readOnly: /\bro\b/.test(mode ?? '') }] : [];
  });
  for (const { raw } of call.values('--mount')) {
    const fields = new Map(raw.split(',').map((field) => [field.split('=')[0] ?? '', field.slice(field.indexOf('=') + 1)]));
    const source = fields.get('source') ?? fields.get('src');
    const target = fields.get('target') ?? fields.get('destination') ?? fields.get('dst');
    if (fields.get('type') === 'bind' && source && target)
      mounts.push({ source, target, readOnly: fields.has('readonly') || fields.has('ro') });
  }
  return mounts;
}

function run(call: Call): void {
  const ask = (id: string, reason: string): void => call.report(`container.${id}`, 'host', reason);
  if (call.has('--privileged')) ask('privileged', 'It gives the container all rights over the machine.');
  for (const [names, pattern] of [
    ['--pid', /host|container:/],
    ['--net --network', /^host/],
    ['--ipc', /^host/],
    ['--uts', /^host/],
    ['--userns', /^host/],
    ['--cgroupns', /^host/],
  ] as const) {
    if (call.values(names).some((value) => pattern.test(value.text)))
      ask('shares-host', `It shares ${names.split(' ')[0]?.slice(2)} of the machine with the container.`);
  }
  if (call.has('--cap-add --device --device-cgroup-rule --volumes-from --sysctl'))
    ask('capabilities', 'It gives the container devices or rights over the machine.');
  if (call.values('--security-opt').some((value) => /unconfined|disable|no-new-privileges[:=]false/.test(value.text)))
    ask('unconfined', 'It switches off what keeps the container apart from the machine.');
  const mounts = mountsOf(call);
  const project = call.at.context.project ?? call.at.context.cwd;
  for (const { source, readOnly } of mounts) {
    const path = call.path(source);
    if (sockets.test(path)) ask('socket-mount', 'It hands the container engine of the machine to the container, and with it the machine.');
    else if (isCatastrophic(path, call.at.context)) ask('host-mount', `It hands ${path} of the machine to the container.`);
    else if (/^\/(?:etc|proc|sys|dev|boot|usr|root|lib|bin|sbin)\//.test(path) && !readOnly)
      ask('host-mount', `It hands ${path} of the machine to the container.`);
    else if (isSecret(path) && !path.startsWith(project)) call.reads(source);
  }
  const words = call.operands.slice(1);
  const entrypoint = call.value('--entrypoint');
  const payload = {
    label: call.name,
    cwd: call.value('-w --workdir')?.text ?? '',
    mounts: mounts
      .filter((mount) => !mount.readOnly)
      .map((mount) => [mount.target.replace(/(.)\/$/, '$1'), call.path(mount.source)] as const),
  };
  const shell = entrypoint && /^(?:\/\w+)*\/?(?:ba|da|z)?sh$/.test(entrypoint.text);
  if (entrypoint && !shell) call.run([entrypoint, ...words], payload);
  else if (shell && words.length) call.run([entrypoint, ...words], payload);
  else if (words.length && !opensShell(words.map((word) => word.text))) call.run(words, payload);
}

/** A shell in a container that waits for input reaches nothing beyond the container. */
const opensShell = (words: readonly string[]): boolean =>
  words.length === 1 && /^(?:\/\w+)*\/?(?:(?:ba|da|a|z)?sh|python3?|node|irb|psql|mysql|redis-cli|mongosh?)$/.test(words[0] ?? '');

function execute(call: Call): void {
  if (call.has('--privileged')) call.report('container.privileged', 'host', 'It gives the command all rights over the machine.');
  const words = call.operands.slice(1).filter((word, index) => index > 0 || word.raw !== '--');
  if (words.length && !opensShell(words.map((word) => word.text))) call.run(words, { label: `${call.name}`, cwd: '', mounts: [] });
}

const engineRules: readonly Rule[] = [
  rule('prune', 'It deletes containers, images or volumes that are not in use, and what is stored in them.', {
    when: 'system|volume|image|container|builder|network|buildx|machine|pod|secret|config prune|reset',
    reach: 'filesystem',
  }),
  rule('delete-volume', 'It deletes volumes and what is stored in them.', { when: 'volume rm|remove', reach: 'filesystem' }),
  rule('delete', 'It deletes containers, images or other objects.', {
    when: 'container|image|network|secret|config|stack|service|node|context|machine|pod|swarm|plugin|manifest rm|remove|delete|leave|ca',
    reach: 'filesystem',
  }),
  rule('delete', 'It deletes containers even while they run, or with their volumes.', {
    when: 'rm',
    option: '-f --force -v --volumes -a --all',
    reach: 'filesystem',
  }),
  rule('delete', 'It deletes an image.', { when: 'rmi', option: '-f --force', reach: 'filesystem' }),
  rule('kill', 'It kills containers.', { when: 'kill', reach: 'processes' }),
  rule('publish', 'It publishes an image.', {
    when: 'push',
    reach: 'remote-service',
    test: (call) => !/^(?:localhost|127\.0\.0\.1)[:/]/.test(call.operand(1) ?? ''),
  }),
  rule('publish', 'It publishes an image.', { when: 'image|manifest push', reach: 'remote-service' }),
  rule('credentials', 'It hands over or deletes the credentials of a registry.', {
    when: 'login|logout',
    reach: 'credentials',
    test: (call) => call.operand(0) === 'login' && call.has('-p --password'),
  }),
  rule('update', 'It changes what runs in a swarm.', {
    when: 'service|stack|node|swarm update|scale|deploy|rollback|init|join|drain|promote|demote',
    reach: 'remote-service',
  }),
];

const composeGlobals = {
  values: '-f -p --file --project-name --profile --env-file --project-directory --ansi --parallel --progress',
  stop: true,
} as const;

function compose(call: Call): void {
  const { rest } = call.parsed(composeGlobals);
  const verb = call.args[rest]?.text;
  const sub = call.sub(
    `${call.name} ${verb ?? ''}`,
    rest + 1,
    verb === 'run' || verb === 'exec' ? runOptions : { values: '-t --timeout --scale --rmi' },
  );
  const lost = (reason: string): void => sub.report('container.compose-down', 'filesystem', reason);
  if (verb === 'down' && sub.has('-v --volumes --rmi'))
    lost('It deletes the volumes or images of the services, and what is stored in them.');
  else if (verb === 'rm' && sub.has('-v -f -s --volumes --force --stop')) lost('It deletes containers of the services.');
  else if (verb === 'kill') sub.report('container.kill', 'processes', 'It kills the services.');
  else if (verb === 'push' || verb === 'publish') sub.report('container.publish', 'remote-service', 'It publishes images.');
  else if (verb === 'exec') execute(sub);
  else if (verb === 'run') run(sub);
}

function engine(call: Call): void {
  const { rest } = call.parsed();
  if (call.has('-H --host --url --connection') || call.values('-c --context').some((context) => context.text !== 'default'))
    call.report('container.remote-engine', 'remote-service', 'It works with the container engine of another machine.');
  else if (call.has('--config') && call.name !== 'nerdctl')
    call.report('container.config', 'anything', 'It takes its settings from another directory, which can run programs.', {
      durable: false,
    });
  const verb = call.args[rest];
  if (!verb) return;
  if (verb.dynamic) {
    call.report('word.dynamic-argument', 'anything', `What it asks of ${call.name} cannot be known beforehand.`, { durable: false });
    return;
  }
  const nested = verb.text === 'container' ? call.args[rest + 1]?.text : undefined;
  const at = nested ? rest + 2 : rest + 1;
  const name = nested ?? verb.text;
  if (name === 'run' || name === 'create') {
    run(call.sub(`${call.name} ${name}`, at, runOptions));
    return;
  }
  if (name === 'exec') {
    execute(call.sub(`${call.name} exec`, at, runOptions));
    return;
  }
  if (verb.text === 'compose') {
    compose(call.sub(`${call.name} compose`, rest + 1, composeGlobals));
    return;
  }
  const sub = call.sub(call.name, rest, {
    values:
      '-f --file --filter --format -t --tag -o --output --build-arg --target --platform -u -p --username --password --since --until --tail -n --time --signal -s',
  });
  applyRules(engineRules, sub);
  if (name === 'cp') {
    const target = sub.operands[2];
    if (target && !/^[\w.-]+:/.test(target.raw) && target.raw !== '-') sub.writes(target);
    const source = sub.operands[1];
    if (source && !/^[\w.-]+:/.test(source.raw)) sub.reads(source);
  } else if (name === 'build' || name === 'buildx') {
    if (sub.args.some((arg) => /^https?:\/\/|^git@/.test(arg.raw)))
      sub.report('container.remote-build', 'anything', 'It builds from an address, which runs what stands there.');
    else if (sub.args.some((arg) => arg.raw === '-') && sub.stdin?.sources.has('network'))
      sub.report('exec.pipe-to-shell', 'anything', 'It runs build steps straight from the network.', { durable: false });
    for (const option of ['--allow', '--network'])
      if (sub.options.some((one) => one.name === option && /insecure|host/.test(one.value?.text ?? '')))
        sub.report('container.shares-host', 'host', 'It gives the build rights over the machine.');
  } else if (name === 'save' || name === 'export') for (const file of sub.values('-o --output')) sub.writes(file);
}

export const containers: readonly Program[] = [
  {
    names: ['docker', 'podman', 'nerdctl', 'finch', 'buildah', 'com.docker.cli'],
    options: globals,
    wrapper: false,
    check: engine,
    match: [
      'docker run --privileged debian',
      'docker run -v /:/host debian ls',
      'docker run -v /var/run/docker.sock:/var/run/docker.sock x',
      'docker run --pid=host x',
      'docker run --rm -v /etc:/e debian rm -rf /e',
      'podman run --cap-add SYS_ADMIN x',
      'docker system prune',
      'docker volume rm db',
      'docker rm -f $(docker ps -aq)',
      'docker -H tcp://h:2375 ps',
      'docker compose down --volumes',
      'docker exec db sh -c "rm -rf /var/lib/postgresql"',
      'docker push me/x',
      'docker image prune -a',
      'docker compose -f a.yml down -v',
    ],
    not_match: [
      'docker ps -a',
      'docker build -t x .',
      'docker run --rm -v "$PWD":/app -w /app node npm test',
      'docker compose up -d --build',
      'docker exec -it web bash',
      'docker exec web npm test',
      'docker logs web',
      'docker compose down',
      'docker run -it --rm alpine sh',
      'docker stop web',
      'docker pull redis:7',
    ],
  },
  {
    names: ['docker-compose', 'podman-compose'],
    options: composeGlobals,
    check: compose,
    match: ['docker-compose down -v', 'docker-compose rm -fsv', 'docker-compose exec db sh -c "rm -rf /data"'],
    not_match: ['docker-compose up', 'docker-compose ps', 'docker-compose exec web npm test', 'docker-compose run --rm web pytest'],
  },
  {
    names: ['skopeo', 'crane', 'oras', 'regctl', 'cosign'],
    rules: [
      rule('publish', 'It publishes or deletes images in a registry.', {
        when: 'copy|delete|push|append|tag|sync|sign|mutate|rebase|attach|clean',
        reach: 'remote-service',
        unless: '--dry-run',
      }),
    ],
    match: ['skopeo delete docker://h/x:1', 'crane push a h/x', 'oras push h/x f'],
    not_match: ['skopeo inspect docker://alpine', 'crane ls alpine'],
  },
  {
    names: [
      'ctr',
      'crictl',
      'runc',
      'crun',
      'lxc',
      'lxd',
      'incus',
      'multipass',
      'vagrant',
      'limactl',
      'colima',
      'orb',
      'virsh',
      'VBoxManage',
      'qm',
      'pct',
      'xe',
      'minikube',
      'kind',
      'k3d',
      'k3s',
      'kubeadm',
      'microk8s',
    ],
    rules: [
      rule('machine-delete', 'It deletes or stops containers, virtual machines or clusters.', {
        when: '... delete|destroy|rm|remove|rmi|stop|kill|purge|prune|undefine|reset|unregistervm|halt|poweroff|controlvm|factory-reset|unlink',
        test: (call) => !(call.name === 'vagrant' && /^(?:box|plugin)$/.test(call.operand(0) ?? '')) || call.operand(1) === 'remove',
      }),
    ],
    check: (call) => {
      if (call.name !== 'vagrant' || call.operand(0) !== 'ssh') return;
      const at = call.args.findIndex((arg) => arg.raw === '-c' || arg.raw === '--command');
      const code = call.args[at + 1];
      if (at >= 0 && code) call.shell(code.raw, { label: 'vagrant ssh', remote: true, cwd: '' });
    },
    match: [
      'vagrant destroy -f',
      'virsh destroy vm',
      'kind delete cluster',
      'multipass delete --all',
      'crictl rmi --prune',
      'minikube delete',
      'lxc delete -f web',
      'vagrant ssh -c "rm -rf /srv"',
      'kubeadm reset',
    ],
    not_match: ['vagrant up', 'virsh list --all', 'kind get clusters', 'minikube status', 'vagrant ssh -c uptime'],
  },
];
