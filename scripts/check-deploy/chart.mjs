// The Helm chart: linted and filled in by Helm, for one console and for several; then what it makes is looked at.
import { Ajv, parseAllDocuments, parseYaml, pathOf, read, unknownFlags } from './read.mjs';
import { ensureHelm, template } from './helm.mjs';

const SEVERAL = [
  'console.replicas=3',
  'console.storageUrl.secretName=weir-database',
  'console.redisUrl.secretName=weir-redis',
  'console.sharedSecrets.secretName=weir-shared',
];
/** Every value that changes what is made. */
const INSTALLATIONS = [
  { name: 'as it is', settings: [] },
  { name: 'several consoles', settings: SEVERAL },
  { name: 'one console with TLS', settings: ['console.tls.secretName=weir-tls', 'console.logLevel=debug'] },
  { name: 'PostgreSQL without a group', settings: ['console.storageUrl.secretName=weir-database'] },
  {
    name: 'behind an ingress',
    settings: [
      'console.trustedProxies={10.0.0.0/8,::1}',
      'console.keepDays=jobs=90',
      'console.publicUrl=https://weir.example',
    ],
  },
  {
    name: 'placed',
    settings: [
      'nodeSelector.disk=ssd',
      'tolerations[0].key=weir',
      'tolerations[0].operator=Exists',
      'imagePullSecrets[0].name=pull',
    ],
  },
];
/** What must be refused, by the schema or by the chart. */
const REFUSED = ['consle.replicas=1', 'agents.replicas=two', 'console.adminPassword.secretName=', 'console.replicas=3'];

export function checkChart({ check, checkRun }) {
  const values = parseYaml(read('helm/weir/values.yaml'));
  const validate = new Ajv({ strict: false }).compile(JSON.parse(read('helm/weir/values.schema.json')));
  check(validate(values), 'chart: the values fit their schema', JSON.stringify(validate.errors));
  const chart = parseYaml(read('helm/weir/Chart.yaml'));
  const { version } = JSON.parse(read('../package.json'));
  check(
    chart.apiVersion === 'v2' && chart.version === version && chart.appVersion === version,
    'chart: has the version of the product',
  );
  const helm = ensureHelm();
  checkRun('chart: helm lint finds nothing', helm, ['lint', '--strict', pathOf('helm/weir')]);
  for (const { name, settings } of INSTALLATIONS) {
    const { status, stdout, stderr } = template(helm, settings);
    check(status === 0, `chart, ${name}: Helm fills it in`, stderr);
    if (status === 0) checkObjects(check, name, stdout);
  }
  for (const setting of REFUSED) {
    check(template(helm, [setting]).status !== 0, `chart: ${setting} alone is refused`);
  }
}

/** @param {{ name: string }} variable */
function isSecret({ name }) {
  return /PASSWORD|TOKEN|URL/.test(name);
}

/** @param {string} name of the installation @param {string} text what Helm wrote */
function checkObjects(check, name, text) {
  const documents = parseAllDocuments(text);
  for (const { errors } of documents) check(errors.length === 0, `chart, ${name}: is YAML`, errors.join('\n'));
  const objects = documents.map((document) => document.toJS()).filter((object) => object !== null);
  const kinds = objects.map(({ kind }) => String(kind)).toSorted();
  const wanted = ['PodDisruptionBudget', 'Service', 'Service', 'StatefulSet', 'StatefulSet'];
  check(
    JSON.stringify(kinds) === JSON.stringify(wanted),
    `chart, ${name}: makes a console, agents, their services and a budget`,
    kinds.join(' '),
  );
  for (const { apiVersion, metadata } of objects)
    check(Boolean(apiVersion && metadata?.name), `chart, ${name}: every object has a version and a name`);
  for (const { spec } of objects.filter(({ kind }) => kind === 'StatefulSet')) {
    const { containers, securityContext, terminationGracePeriodSeconds, volumes } = spec.template.spec;
    const [container] = containers;
    check(
      securityContext !== undefined && container.securityContext !== undefined,
      `chart, ${name}: ${container.name} is hardened`,
    );
    check(terminationGracePeriodSeconds >= 30, `chart, ${name}: ${container.name} has time to end well`);
    const unknown = unknownFlags(container.name === 'agent' ? 'agent' : 'console', container.args.join(' '));
    check(unknown.length === 0, `chart, ${name}: the flags of ${container.name} exist`, unknown.join(' '));
    check(
      container.env.filter(isSecret).every(({ value }) => value === undefined),
      `chart, ${name}: ${container.name} gets secrets by reference`,
    );
    const offered = new Set(
      [...volumes, ...spec.volumeClaimTemplates.map(({ metadata }) => metadata)].map(({ name }) => name),
    );
    check(
      container.volumeMounts.every(({ name }) => offered.has(name)),
      `chart, ${name}: the mounts of ${container.name} have volumes`,
    );
  }
  const console = objects.find(({ spec }) => spec.template?.spec.containers[0].name === 'console').spec.template.spec
    .containers[0];
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    check(console[probe]?.httpGet.path === '/healthz', `chart, ${name}: the console's ${probe} asks /healthz`);
  }
}
