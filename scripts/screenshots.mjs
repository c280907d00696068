// Takes the pictures in docs/images of a running console: node scripts/screenshots.mjs <url> <password of admin>
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root, stop } from './prepare.mjs';

const [url, password] = process.argv.slice(2);
if (url === undefined || password === undefined) stop('Usage: node scripts/screenshots.mjs <url> <password of admin>');

const PAGES = {
  'tps-monitor': '/monitor',
  'copy-jobs': '/jobs',
  settings: '/settings',
  agents: '/agents',
  alarms: '/alarms',
};

const { chromium } = createRequire(join(root, 'e2e', 'package.json'))('playwright-core');
const executablePath = process.env['WEIR_CHROMIUM'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const folder = join(root, 'docs', 'images');
mkdirSync(folder, { recursive: true });
for (const colorScheme of ['light', 'dark']) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1_280, height: 800 } });
  await page.goto(url);
  await page.getByLabel('User name').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByLabel('Password', { exact: true }).waitFor({ state: 'detached' });
  for (const [name, path] of Object.entries(PAGES)) {
    await page.goto(`${url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    const file = `${name}${colorScheme === 'dark' ? '-dark' : ''}.png`;
    // The enrolment token of the console is a secret, also of one that is gone by now.
    await page.screenshot({ path: join(folder, file), fullPage: true, mask: [page.locator('code')] });
    process.stdout.write(`docs/images/${file}\n`);
  }
}
await browser.close();
