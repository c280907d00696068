/**
 * Who may import whom. Each rule names one owner and the only packages it may reach; a new edge is a decision,
 * so it is made here and explained in ARCHITECTURE.md.
 */
const only = (from, allowed) => ({
  name: `${from.replace(/.*\//, '')}-imports-only-its-own`,
  severity: 'error',
  from: { path: `^${from}/src` },
  to: {
    path: '^(packages|apps)/',
    pathNot: [`^${from}/`, ...allowed.map((name) => `^(packages|apps)/${name}/`)],
  },
});

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^(packages|apps)/[^/]+/src', pathNot: '\\.d\\.ts$' },
      to: {},
    },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '\\.(css|svg)$' },
    },
    {
      name: 'pure-packages-import-nothing',
      severity: 'error',
      from: { path: '^packages/(quota|governor)/src' },
      to: { pathNot: '^packages/(quota|governor)/src' },
    },
    {
      name: 'protocol-imports-only-zod',
      severity: 'error',
      from: { path: '^packages/protocol/src' },
      to: { pathNot: ['^packages/protocol/src', 'node_modules/zod/'] },
    },
    only('packages/quota', []),
    only('packages/governor', []),
    only('packages/client', ['protocol']),
    only('packages/quota-redis', ['quota']),
    only('packages/quota-memcached', ['quota']),
    only('packages/quota-conformance', ['quota']),
    only('packages/quota-http', ['quota']),
    only('packages/quota-audit', ['quota', 'quota-redis', 'quota-memcached']),
    only('packages/governor-client', ['governor', 'protocol', 'client']),
    only('packages/s3-copy', []),
    only('packages/testkit', []),
    only('apps/console', [
      'protocol',
      'governor',
      'quota',
      'quota-redis',
      'quota-memcached',
      'quota-http',
      'quota-audit',
    ]),
    only('apps/agent', ['protocol', 'client', 'governor-client', 's3-copy']),
    only('apps/web', ['protocol', 'client']),
    {
      name: 'console-http-reaches-actions-and-ports-only',
      severity: 'error',
      from: { path: '^apps/console/src/http' },
      to: { path: '^apps/console/src/(storage|jobs|main)' },
    },
    {
      name: 'console-actions-reach-ports-only',
      severity: 'error',
      from: { path: '^apps/console/src/actions' },
      to: { path: '^apps/console/src/(storage|http|jobs|main)' },
    },
    {
      name: 'console-storage-implements-ports',
      severity: 'error',
      from: { path: '^apps/console/src/storage' },
      to: { path: '^apps/console/src/(http|actions|jobs|main)' },
    },
    {
      name: 'production-code-imports-no-test',
      severity: 'error',
      from: { path: '/src/' },
      to: { path: '/test/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|dist-types|coverage)/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@weir/source', 'import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json', '.css'],
    },
  },
};
