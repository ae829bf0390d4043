/**
 * Which way dependencies run. `contract` is what a backend author reads and leans on nothing; the engine stands on it, the
 * facade on the engine; the approval layer sees the contract alone, so that it can judge without knowing how things run.
 */
const core = 'packages/core/src';

/** A folder of core may import itself, the folders named, and packages: nothing else of core. */
const folder = (name, ...allowed) => ({
  name: `core-${name}`,
  comment: `core/src/${name} may import ${allowed.length === 0 ? 'nothing else of core' : allowed.join(', ')}`,
  severity: 'error',
  from: { path: `^${core}/${name}/` },
  to: { path: `^${core}/`, pathNot: `^${core}/(${[name, ...allowed].join('|')})/` },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    folder('contract'),
    folder('backend', 'contract'),
    folder('engine', 'contract'),
    folder('files', 'contract', 'engine'),
    folder('approval', 'contract'),
    folder('sandbox', 'engine', 'files', 'contract', 'approval'),
    folder('conformance', 'contract', 'sandbox'),
    folder('testing', 'contract', 'sandbox', 'engine'),
    {
      name: 'backends-on-core-only',
      comment: 'A backend leans on the public entry points of core: not on its sources, another backend or the CLI',
      severity: 'error',
      from: { path: '^packages/backend-[^/]+/src/' },
      to: {
        path: '^(packages|tooling)/',
        pathNot: '^packages/(backend-[^/]+)/src/|^packages/core/(src|dist)/(index|backend|conformance/index|testing/index)\\.',
      },
    },
    {
      name: 'one-backend-not-another',
      comment: 'But for the connections of the ssh backend, a door of their own: a machine may be reached by way of another',
      severity: 'error',
      from: { path: '^packages/(backend-[^/]+)/src/' },
      to: { path: '^packages/backend-[^/]+/', pathNot: '^packages/($1/|backend-ssh/(src|dist)/connection/)' },
    },
    {
      name: 'cli-without-backends',
      comment: 'The CLI finds backends at run time; a list of them in its sources would be kept by hand',
      severity: 'error',
      from: { path: '^packages/cli/src/' },
      to: { path: '^(packages/backend-|tooling/|packages/core/(?!(src|dist)/(index|backend|conformance/index|testing/index)\\.))' },
    },
    {
      name: 'core-on-no-other-package',
      severity: 'error',
      from: { path: `^${core}/` },
      to: { path: '^packages/(?!core/)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules|/dist/' },
    exclude: { path: '/dist/|tsup\\.config\\.bundled' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    tsConfig: { fileName: 'tsconfig.sources.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json', '.d.ts'],
    },
  },
};
