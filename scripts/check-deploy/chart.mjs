// The Helm chart, without Helm: values against their schema, references against values, and the templates filled in by a
// stand-in that keeps the structure (each inserted text becomes "x") and parsed as YAML.
import { readdirSync } from 'node:fs';
import { Ajv, parseAllDocuments, parseYaml, pathOf, read, unknownFlags } from './read.mjs';

export function checkChart({ check }) {
  const values = parseYaml(read('helm/weir/values.yaml'));
  const validate = new Ajv({ strict: false }).compile(JSON.parse(read('helm/weir/values.schema.json')));
  check(validate(values), 'chart: the values fit their schema', JSON.stringify(validate.errors));
  const wrong = [
    { ...values, consle: {} },
    { ...values, agents: { ...values.agents, replicas: '2' } },
    { ...values, console: { ...values.console, adminPassword: { secretName: '', secretKey: 'x' } } },
  ];
  for (const each of wrong)
    check(!validate(each), 'chart: the schema refuses misspelt names, wrong kinds and missing secrets');
  const chart = parseYaml(read('helm/weir/Chart.yaml'));
  const { version } = JSON.parse(read('../package.json'));
  check(
    chart.apiVersion === 'v2' && chart.version === version && chart.appVersion === version,
    'chart: has the version of the product',
  );
  const files = readdirSync(pathOf('helm/weir/templates'));
  const texts = files.map((name) => read(`helm/weir/templates/${name}`));
  const defined = new Set(texts.flatMap((text) => [...text.matchAll(/define "([^"]+)"/g)].map(([, name]) => name)));
  const objects = [];
  for (const [index, text] of texts.entries()) {
    const name = files[index];
    for (const [, path] of text.matchAll(/\.Values\.([\w.]+)/g)) {
      check(
        path.split('.').reduce((value, key) => value?.[key], values) !== undefined,
        `chart: ${name} uses ${path}, which has a value`,
      );
    }
    for (const [, used] of text.matchAll(/include "([^"]+)"/g)) check(defined.has(used), `chart: ${used} is defined`);
    const opening = text.match(/\{\{-? *(if|with|range|define) /g)?.length ?? 0;
    check(opening === (text.match(/\{\{-? *end *-?\}\}/g)?.length ?? 0), `chart: ${name} ends every block`);
    if (name.startsWith('_')) continue;
    for (const document of parseAllDocuments(filledIn(text))) {
      check(document.errors.length === 0, `chart: ${name} is YAML`, document.errors.join('\n'));
      objects.push(document.toJS());
    }
  }
  checkObjects(check, objects);
}

/** @param {string} text */
function filledIn(text) {
  return text
    .replace(/^\s*\{\{-? *(if|else|end|with|range)[^}]*\}\}\n/gm, '')
    .replace(/^\s*\{\{-? *include "weir.placement"[^}]*\}\}\n/gm, '')
    .replace(/\{\{-? *(include|toYaml)[^}]*nindent[^}]*\}\}(?=\n\s+app\.kubernetes)/g, '')
    .replace(/\{\{-? *(include|toYaml)[^}]*nindent[^}]*\}\}/g, '{ x: x }')
    .replace(/\{\{[^}]*\}\}/g, 'x');
}

/** @param {{ name: string }} variable */
function isSecret({ name }) {
  return /PASSWORD|TOKEN|URL/.test(name);
}

function checkObjects(check, objects) {
  const kinds = objects.map(({ kind }) => kind).toSorted();
  const wanted = ['PodDisruptionBudget', 'Service', 'Service', 'StatefulSet', 'StatefulSet'];
  check(
    JSON.stringify(kinds) === JSON.stringify(wanted),
    'chart: makes a console, agents, their services and a budget',
    kinds.join(' '),
  );
  for (const { apiVersion, metadata } of objects)
    check(Boolean(apiVersion && metadata?.name), 'chart: every object has a version and a name');
  for (const { spec } of objects.filter(({ kind }) => kind === 'StatefulSet')) {
    const { containers, securityContext, terminationGracePeriodSeconds, volumes } = spec.template.spec;
    const [container] = containers;
    check(
      securityContext !== undefined && container.securityContext !== undefined,
      `chart: ${container.name} is hardened`,
    );
    check(terminationGracePeriodSeconds >= 30, `chart: ${container.name} has time to end well`);
    const unknown = unknownFlags(container.name === 'agent' ? 'agent' : 'console', container.args.join(' '));
    check(unknown.length === 0, `chart: the flags of ${container.name} exist`, unknown.join(' '));
    check(
      container.env.filter(isSecret).every(({ value }) => value === undefined),
      `chart: ${container.name} gets secrets by reference`,
    );
    const offered = new Set(
      [...volumes, ...spec.volumeClaimTemplates.map(({ metadata }) => metadata)].map(({ name }) => name),
    );
    check(
      container.volumeMounts.every(({ name }) => offered.has(name)),
      `chart: the mounts of ${container.name} have volumes`,
    );
  }
  const console = objects.find(({ spec }) => spec.template?.spec.containers[0].name === 'console').spec.template.spec
    .containers[0];
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    check(console[probe]?.httpGet.path === '/healthz', `chart: the console's ${probe} asks /healthz`);
  }
}
