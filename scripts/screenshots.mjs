// Takes the pictures in docs/images of a running console, light and dark:
//   node scripts/screenshots.mjs <url> <password of admin> [name,name,…]
// A page of one job, quota or audit shows the newest one; without any it is left out.
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root, stop } from './prepare.mjs';

const [url, password, only] = process.argv.slice(2);
if (url === undefined || password === undefined) {
  stop('Usage: node scripts/screenshots.mjs <url> <password of admin> [name,name,…]');
}

/**
 * Address of each page; a function finds the one thing that it shows, and null when there is none.
 * @type {Record<string, string | ((api: (path: string) => Promise<any>) => Promise<string | null>)>}
 */
const PAGES = {
  'tps-monitor': '/monitor',
  'copy-jobs': '/jobs',
  'copy-job': async (api) => pathOf('/jobs/', (await api('jobs')).jobs[0]?.jobId),
  'new-job': '/jobs/new',
  agents: '/agents',
  alarms: '/alarms',
  quotas: '/quotas',
  quota: async (api) =>
    pathOf('/quotas/definitions/', (await api('quotas')).quotas.find((each) => each.takes > 0)?.definitionId),
  stores: '/quotas/stores',
  audits: '/quotas/audits',
  audit: async (api) => pathOf('/quotas/audits/', (await api('quota-audits')).audits[0]?.auditId),
  settings: '/settings/tps-rate-limiting',
  endpoints: '/settings/endpoints',
  consoles: '/settings/consoles',
  accounts: '/settings/accounts',
  'audit-log': '/settings/audit-log',
  password: '/settings/password',
};

/** @param {string} folder @param {string | undefined} id */
function pathOf(folder, id) {
  return id === undefined ? null : `${folder}${id}`;
}

const names = Object.keys(PAGES);
const wanted = only === undefined ? ['login', ...names] : only.split(',');
const unknown = wanted.filter((name) => name !== 'login' && !names.includes(name));
if (unknown.length > 0) stop(`There is no page ${unknown.join(', ')}; there are login, ${names.join(', ')}.`);

const { chromium } = createRequire(join(root, 'e2e', 'package.json'))('playwright-core');
const executablePath = process.env['WEIR_CHROMIUM'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const folder = join(root, 'docs', 'images');
mkdirSync(folder, { recursive: true });
for (const colorScheme of ['light', 'dark']) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1_280, height: 800 } });
  const api = (path) => page.evaluate(async (name) => (await fetch(`/api/v1/${name}`)).json(), path);
  const shoot = async (name) => {
    const file = `${name}${colorScheme === 'dark' ? '-dark' : ''}.png`;
    // The enrolment token of the console is a secret, also of one that is gone by now.
    const mask = name === 'agents' ? [page.locator('code')] : [];
    await page.screenshot({ path: join(folder, file), fullPage: true, mask, maskColor: '#8a9aa5' });
    process.stdout.write(`docs/images/${file}\n`);
  };
  await page.goto(url);
  await page.getByLabel('User name').waitFor();
  if (wanted.includes('login')) await shoot('login');
  await page.getByLabel('User name').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByLabel('Password', { exact: true }).waitFor({ state: 'detached' });
  for (const [name, place] of Object.entries(PAGES)) {
    if (!wanted.includes(name)) continue;
    const path = typeof place === 'string' ? place : await place(api);
    if (path === null) {
      process.stdout.write(`${name}: there is none on this console\n`);
      continue;
    }
    await page.goto(`${url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await shoot(name);
  }
}
await browser.close();
