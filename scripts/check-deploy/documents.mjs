// What docs/operations says: flags that exist, alerts that there are, and an example that works.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { headersOf } from '../../apps/console/dist/webhooks/message.js';
import { root } from '../prepare.mjs';
import { parseYaml, read, unknownFlags } from './read.mjs';

const FOLDER = '../docs/operations';

export async function checkDocuments({ check }) {
  for (const name of readdirSync(join(root, 'docs/operations')).filter((file) => file.endsWith('.md'))) {
    for (const [line, command] of read(`${FOLDER}/${name}`).matchAll(
      /\bweir (console|agent|doctor|top|audit)\b[^\n|`#]*/g,
    )) {
      const unknown = unknownFlags(command, line);
      check(unknown.length === 0, `${name}: the flags of "${line.trim()}" exist`, unknown.join(' '));
    }
  }
  const monitoring = read(`${FOLDER}/monitoring.md`);
  const groups = parseYaml(read('prometheus/weir.rules.yml')).groups;
  const alerts = new Set(groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? [])));
  for (const name of monitoring.match(/\bWeir[A-Z][A-Za-z]+/g) ?? [])
    check(alerts.has(name), `monitoring.md: ${name} is an alert`);
  await checkSignatureExample(check);
}

/** The example of security.md against what the console sends. */
async function checkSignatureExample(check) {
  const [, code] = /```js\n(.*?)```/s.exec(read(`${FOLDER}/security.md`)) ?? [];
  const { isFromWeir } = await import(`data:text/javascript,${encodeURIComponent(code ?? '')}`);
  const nowMs = 1_796_000_000_000;
  const body = '{"text":"an alarm"}';
  const signature = headersOf('dlv_1', body, 'a secret', nowMs)['weir-signature'];
  const seconds = nowMs / 1_000;
  check(isFromWeir(signature, body, 'a secret', seconds), 'security.md: its example accepts what the console sends');
  const forged = [
    [signature, `${body} `, 'a secret', seconds],
    [signature, body, 'another', seconds],
    [signature, body, 'a secret', seconds + 301],
    ['nonsense', body, 'a secret', seconds],
  ];
  for (const each of forged) check(!isFromWeir(...each), 'security.md: its example refuses what is forged or old');
}
