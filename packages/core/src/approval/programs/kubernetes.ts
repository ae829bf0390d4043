import type { Call } from '../call.js';
import type { Program, Rule } from '../program.js';
import { applyRules } from '../program-rules.js';

const dry = '--dry-run --dry-run=client --dry-run=server';
const rule = (id: string, reason: string, more: Partial<Rule>): Rule => ({
  id: `kubernetes.${id}`,
  reach: 'remote-service',
  reason,
  ...more,
});

const options = {
  values:
    '-n -f -l -o -c -s -k -p --namespace --filename --selector --output --container --context --cluster --user --kubeconfig --server --token --as --as-group --certificate-authority --request-timeout --field-selector --replicas --timeout --grace-period --image --tail --since --patch --type --from-literal --from-file --overrides --port --target-port --kustomize --revision --to-revision --sort-by --template --cache-dir --tls-server-name --username --password',
} as const;

const rules: readonly Rule[] = [
  rule('delete', 'It deletes objects of the cluster.', { when: 'delete', unless: dry, alternative: 'kubectl delete --dry-run=server …' }),
  rule('drain', 'It takes a machine out of the cluster or moves what runs on it.', { when: 'drain|cordon|taint', unless: dry }),
  rule('replace', 'It deletes objects and creates them anew.', { when: 'replace', unless: dry }),
  rule('scale', 'It stops everything of a kind.', { when: 'scale', test: (call) => /^0+$/.test(call.value('--replicas')?.text ?? '') }),
  rule('apply-remote', 'It has the cluster run what stands at an address.', {
    when: 'apply|create',
    test: (call) => call.values('-f --filename -k --kustomize').some((file) => /^https?:|^git@|github\.com\//.test(file.text)),
  }),
  rule('apply-data', 'It has the cluster run what arrives as data.', {
    when: 'apply|create',
    test: (call) => call.values('-f --filename').some((file) => file.text === '-') && (call.stdin?.sources.has('network') ?? false),
  }),
  rule('prune', 'It deletes objects that are not in the files.', { when: 'apply', option: '--prune --force', unless: dry }),
  rule('edit', 'It changes objects of the cluster by hand.', {
    when: 'edit|patch|set|annotate|label|autoscale|expose',
    unless: dry,
    test: (call) => /^(?:edit|patch|set)$/.test(call.operand(0) ?? '') || call.has('--overwrite'),
  }),
  rule('rollback', 'It rolls a deployment back.', { when: 'rollout undo', unless: dry }),
  rule('debug', 'It opens a container with rights over a machine of the cluster.', { when: 'debug' }),
  rule('certificate', 'It grants or denies access to the cluster.', { when: 'certificate approve|deny' }),
  rule('auth', 'It changes who may do what in the cluster.', {
    when: 'create clusterrolebinding|rolebinding|clusterrole|role|token',
    unless: dry,
  }),
  rule('config', 'It changes which cluster is worked with, or with which credentials.', {
    when: 'config delete-context|delete-cluster|delete-user|unset|set-credentials|set-cluster',
    reach: 'credentials',
  }),
  rule('config-secrets', 'It shows the credentials of the cluster.', { when: 'config view', option: '--raw', reach: 'credentials' }),
  rule('secret', 'It shows secrets of the cluster.', {
    when: 'get secret|secrets|secret/*|secrets/*',
    reach: 'credentials',
    test: (call) =>
      /yaml|json|template|jsonpath/.test(call.value('-o --output')?.text ?? '') ||
      call.args.some((arg) => /^-o(?:yaml|json)/.test(arg.raw)),
  }),
  rule('privileged-run', 'It runs a container with rights over the cluster.', { when: 'run', option: '--overrides --privileged' }),
  {
    id: 'option.reads',
    reach: 'anything',
    option: '--kubeconfig',
    reason: 'It takes the address and the credentials of the cluster from a file, which can also run programs.',
  },
  rule('other-identity', 'It acts with the rights of someone else.', { option: '--as --as-group' }),
];

function kubectl(call: Call): void {
  applyRules(rules, call);
  const verb = call.operand(0);
  if (verb === 'exec') {
    const dashes = call.args.findIndex((arg) => arg.raw === '--');
    const words = dashes >= 0 ? call.args.slice(dashes + 1) : call.operands.slice(2);
    if (words.length > 1 || (words[0] && !/^(?:\/\w+)*\/?(?:ba|da|a)?sh$/.test(words[0].text)))
      call.run(words, { label: 'kubectl exec', remote: true, cwd: '', mounts: [] });
  } else if (verb === 'run') {
    const dashes = call.args.findIndex((arg) => arg.raw === '--');
    if (dashes >= 0 && dashes + 1 < call.args.length)
      call.run(call.args.slice(dashes + 1), { label: 'kubectl run', remote: true, cwd: '', mounts: [] });
  } else if (verb === 'cp') {
    const target = call.operands[2];
    if (target && /^[\w./-]+:/.test(target.raw))
      call.report('kubernetes.copy', 'remote-service', 'It writes files into a container of the cluster.');
    else if (target) call.writes(target);
  }
}

export const kubernetes: readonly Program[] = [
  {
    names: ['kubectl', 'oc', 'k', 'kubecolor', 'microk8s.kubectl'],
    options,
    check: kubectl,
    match: [
      'kubectl delete pod web-1',
      'kubectl -n prod delete deploy --all',
      'kubectl drain node1',
      'kubectl scale deploy/web --replicas=0',
      'kubectl apply -f https://h.example/x.yaml',
      'kubectl exec web -- rm -rf /data',
      'kubectl edit deploy web',
      'kubectl get secret db -o yaml',
      'kubectl --kubeconfig /tmp/k get pods',
      'kubectl replace --force -f a.yaml',
      'kubectl patch deploy web -p "{}"',
      'kubectl rollout undo deploy/web',
      'kubectl config view --raw',
    ],
    not_match: [
      'kubectl get pods -n prod',
      'kubectl describe pod web',
      'kubectl logs -f web',
      'kubectl apply -f k8s/ --dry-run=client',
      'kubectl exec web -- ls /app',
      'kubectl delete pod x --dry-run=server',
      'kubectl apply -f k8s/web.yaml',
      'kubectl port-forward svc/web 8080:80',
      'kubectl config current-context',
      'kubectl top nodes',
    ],
  },
  {
    names: ['helm'],
    options: {
      values: '-n -f --namespace --values --set --version --kube-context --kubeconfig --repo --post-renderer --timeout --history-max',
    },
    rules: [
      rule('helm-uninstall', 'It deletes a release from the cluster.', { when: 'uninstall|delete|del|un', unless: '--dry-run' }),
      rule('helm-rollback', 'It rolls a release back.', { when: 'rollback', unless: '--dry-run' }),
      rule('helm-force', 'It deletes and replaces objects of the cluster.', {
        when: 'upgrade|install',
        option: '--force --reset-values --recreate-pods',
        unless: '--dry-run',
      }),
      rule('helm-plugin', 'It installs code that helm runs.', { when: 'plugin install|add|update|uninstall', reach: 'anything' }),
      rule('helm-push', 'It publishes a chart.', { when: 'push|cm-push' }),
      { id: 'option.runs', reach: 'anything', option: '--post-renderer', reason: 'One of its options runs another program.' },
      {
        id: 'option.reads',
        reach: 'anything',
        option: '--kubeconfig',
        reason: 'It takes the address and the credentials of the cluster from a file.',
      },
    ],
    match: [
      'helm uninstall web',
      'helm delete web -n prod',
      'helm rollback web 1',
      'helm plugin install https://h.example/p',
      'helm template x --post-renderer ./x',
      'helm upgrade web ./chart --force',
    ],
    not_match: [
      'helm list -A',
      'helm template ./chart',
      'helm upgrade --install web ./chart',
      'helm repo update',
      'helm lint ./chart',
      'helm uninstall web --dry-run',
    ],
  },
  {
    names: [
      'kustomize',
      'helmfile',
      'skaffold',
      'tilt',
      'argocd',
      'flux',
      'istioctl',
      'linkerd',
      'velero',
      'kubeseal',
      'eksctl',
      'kops',
      'rancher',
      'talosctl',
      'kn',
      'tkn',
      'cilium',
      'garden',
      'werf',
      'kapp',
      'ytt',
      'stern',
      'k9s',
      'cmctl',
      'kubectx',
      'kubens',
      'crossplane',
      'clusterctl',
      'rke',
      'rosa',
      'nomad',
      'dapr',
      'okteto',
      'devspace',
      'telepresence',
      'kubectl-argo-rollouts',
      'argo',
    ],
    options: {
      values: '-n -f -l -o --namespace --filename --file --selector --output --name --region --context --kubeconfig --environment -e',
    },
    rules: [
      rule('delete', 'It deletes or resets objects of a cluster, or the cluster itself.', {
        when: '... delete|destroy|uninstall|remove|rm|purge|reset|down|undelete|terminate|clean|prune|nuke|delete-*|stop|suspend|abort|undo|rollback',
        unless: '--dry-run --dryrun --diff',
        test: (call) => !/^(?:get|describe|logs|list|version|explain)$/.test(call.operand(0) ?? '') && !(call.operand(0) === 'velero'),
      }),
      rule('restore', 'It overwrites objects of the cluster by older ones.', {
        when: 'restore create',
        test: (call) => call.name === 'velero',
      }),
      rule('sync-prune', 'It deletes objects that are not in the repository.', { when: 'app sync', option: '--prune --force --replace' }),
      rule('secret', 'It shows secrets.', { when: 'account generate-token|get-user-info', reach: 'credentials' }),
    ],
    match: [
      'velero backup delete nightly --confirm',
      'argocd app delete web',
      'flux uninstall',
      'eksctl delete cluster prod',
      'skaffold delete',
      'helmfile destroy',
      'argocd app sync web --prune',
      'nomad job stop web',
      'talosctl reset',
      'velero schedule delete daily',
    ],
    not_match: [
      'velero backup get',
      'argocd app list',
      'flux get all',
      'kustomize build overlays/dev',
      'stern web',
      'eksctl get cluster',
      'argocd app sync web',
      'velero backup create b1',
      'nomad status',
    ],
  },
];
