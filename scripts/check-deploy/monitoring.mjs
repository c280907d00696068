// Prometheus rules and the Grafana dashboard.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml, pathOf, read } from './read.mjs';

/** Names of our metrics and of those of the process. */
const METRIC = /\b(?:weir|process|nodejs)_[a-z0-9_]+/g;

/**
 * @returns {{ metrics: Set<string>, labels: Set<string> }} what the expressions use: names, and `metric{label="value"}`
 */
export function checkMonitoring({ check, checkRun, folder }) {
  checkRun('the rules are valid', 'promtool', ['check', 'rules', pathOf('prometheus/weir.rules.yml')]);
  checkRun('the rules pass their tests', 'promtool', ['test', 'rules', pathOf('prometheus/weir.rules.test.yml')]);
  const config = ['check', 'config', '--syntax-only', pathOf('prometheus/prometheus.yml')];
  checkRun('the example of a configuration is valid', 'promtool', config);
  const rules = parseYaml(read('prometheus/weir.rules.yml')).groups.flatMap((group) => group.rules);
  const recorded = new Set(rules.map(({ record }) => record));
  for (const { alert, labels, annotations } of rules.filter((rule) => rule.alert !== undefined)) {
    check(['info', 'warning', 'critical'].includes(labels?.severity), `${alert} has a severity`);
    check(Boolean(annotations?.summary && annotations.description), `${alert} says what is wrong and what to do`);
  }
  const panels = checkDashboard(check);
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  // What Grafana fills in.
  const plain = expressions.map((expr) => expr.replaceAll('$job', 'weir').replaceAll('$instance', '.*'));
  const file = join(folder, 'dashboard.rules.yml');
  const asRules = plain.map((expr, index) => ({ record: `panel:${index}`, expr }));
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: asRules }] }));
  checkRun('every expression of the dashboard is valid', 'promtool', ['check', 'rules', file]);
  const all = [...rules.map(({ expr }) => expr), ...plain];
  for (const name of all.flatMap((expr) => expr.match(/\bweir:[a-z0-9_:]+/g) ?? [])) {
    check(recorded.has(name), `${name} is recorded`);
  }
  return { metrics: new Set(all.flatMap((expr) => expr.match(METRIC) ?? [])), labels: new Set(all.flatMap(labelsIn)) };
}

/** `weir_jobs{state="running"}` for each value that is asked for. @param {string} expr */
function labelsIn(expr) {
  const found = [];
  for (const [, name, inner] of expr.matchAll(/\b(weir_[a-z0-9_]+)\{([^}]*)\}/g)) {
    for (const [, label, values] of inner.matchAll(/(event|state|route|status)!?=~?"([^"]*)"/g)) {
      for (const value of values.split('|'))
        if (!value.includes('*') && value !== '5xx')
          found.push(`${name.replace(/_bucket$|_count$/, '')} ${label} ${value}`);
    }
  }
  return found;
}

function checkDashboard(check) {
  const dashboard = JSON.parse(read('grafana/weir.json'));
  const { panels, templating } = dashboard;
  check(
    dashboard.schemaVersion >= 36 && dashboard.uid !== '' && dashboard.title !== '',
    'the dashboard has a schema, uid and title',
  );
  check(new Set(panels.map(({ id }) => id)).size === panels.length, 'every panel has an id of its own');
  const taken = new Set();
  for (const { title, type, description, gridPos, targets, datasource } of panels) {
    const { x, y, w, h } = gridPos;
    check(
      ['stat', 'timeseries'].includes(type) && Boolean(title && description),
      `panel ${title} has a kind, a title and a description`,
    );
    check(x >= 0 && y >= 0 && w > 0 && h > 0 && x + w <= 24, `panel ${title} lies within 24 columns`);
    check(targets.length > 0 && targets.every(({ expr, refId }) => expr && refId), `panel ${title} has queries`);
    check(datasource.uid === '${datasource}', `panel ${title} uses the chosen data source`);
    for (let cell = 0; cell < w * h; cell += 1) {
      const place = `${x + (cell % w)},${y + Math.floor(cell / w)}`;
      if (taken.has(place)) check(false, `panel ${title} lies on another at ${place}`);
      taken.add(place);
    }
  }
  const variables = new Set(templating.list.map(({ name }) => name));
  for (const [, name] of JSON.stringify(panels).matchAll(/\$\{?([a-z]+)\}?/g))
    check(variables.has(name), `variable ${name} is declared`);
  return panels;
}
