import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparePlaces, type S3Access } from '../apps/cli/src/demo/objects.ts';
import { ADMIN_PASSWORD, type Product, SOURCE_BUCKET, startProduct, TARGET_BUCKET } from './fixtures/product.ts';
import { expectAccessible, launchBrowser, logIn, openPage } from './fixtures/browser.ts';
import { faultsOfPages } from './fixtures/every-page.ts';

const PAGES = [
  '/monitor',
  '/jobs',
  '/jobs/new',
  '/agents',
  '/alarms',
  '/quotas',
  '/quotas/stores',
  '/quotas/audits',
  '/settings/tps-rate-limiting',
  '/settings/endpoints',
  '/settings/consoles',
  '/settings/accounts',
  '/settings/audit-log',
  '/settings/password',
];

/** One console from its first login to a finished job: each test goes on where the one before ended. */
describe('the pages, from the first login to a finished job', () => {
  let product: Product;
  let browser: Browser;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    product = await startProduct({ objects: 400, windowSeconds: 2 });
    browser = await launchBrowser();
    ({ page, problems } = await openPage(browser));
  });

  afterAll(async () => {
    await browser?.close();
    await product?.stop();
  });

  const addEndpoint = async (side: 'source' | 'target', name: string, access: S3Access): Promise<void> => {
    await page.getByRole('button', { name: `Add an endpoint for the ${side}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Address').fill(access.url);
    await dialog.getByLabel('Access key').fill(access.accessKeyId);
    await dialog.getByLabel('Secret key').fill(access.secretAccessKey);
    await dialog.getByRole('button', { name: 'Save endpoint' }).click();
    await dialog.waitFor({ state: 'hidden' });
  };

  it('lets nobody in with a wrong password, and says so', async () => {
    await page.goto(product.fleet.url);
    await page.getByLabel('User name').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toMatch(/password/i);
    await expectAccessible(page);
    // The refused login and the question for a session are answered 401, which Chromium reports as errors.
    expect(problems.every((problem) => problem.includes('401'))).toBe(true);
    problems.length = 0;
  });

  it('leads a new operator from the first page to the first job', async () => {
    await logIn(page, product.fleet.url);
    problems.length = 0;
    await page.getByRole('heading', { name: 'TPS Monitor' }).waitFor();
    await product.fleet.addAgent({ name: 'first-agent' });
    await page.goto(`${product.fleet.url}/jobs/new`);
    await addEndpoint('source', 'Production', product.source);
    await page.getByLabel('Source bucket').fill(SOURCE_BUCKET);
    await addEndpoint('target', 'Replica', product.target);
    await page.getByLabel('Target bucket').fill('not-there');
    await page.getByLabel('Name of the job').fill('First copy');
    await page.getByRole('button', { name: 'Create job' }).click();
    await page
      .getByText(/does not exist/)
      .first()
      .waitFor();
    expect((await product.fleet.admin.call('jobs')).jobs).toEqual([]);

    await page.getByLabel('Target bucket').fill(TARGET_BUCKET);
    await page.getByRole('button', { name: 'Create job' }).click();
    await page.getByRole('heading', { name: 'First copy' }).waitFor();
    const [job] = (await product.fleet.admin.call('jobs')).jobs;
    await product.untilJobIs(job?.jobId ?? '', 'completed', 60_000);
    const { missing, different, objects } = await comparePlaces(product.sourcePlace, product.targetPlace);
    expect({ missing, different, objects }).toEqual({ missing: [], different: [], objects: 400 });
    await page.goto(`${product.fleet.url}/jobs`);
    await page.getByText('Completed', { exact: true }).first().waitFor();
    // Only the bucket that does not exist was refused (Chromium reports the status as an error).
    expect(problems.filter((problem) => !/status of 4(00|04|09|22)/.test(problem))).toEqual([]);
    problems.length = 0;
  });

  it('shows the monitor as documented: three cards, the table with the console row, countdown and latency', async () => {
    await page.goto(`${product.fleet.url}/monitor`);
    const card = (name: string) => page.getByRole('heading', { name, exact: true }).locator('xpath=ancestor::*[2]');
    await page.getByText('Total System TPS').waitFor();
    expect(await page.getByText('/ 10,000').count()).toBe(1);
    expect(await card('Active Agents').count()).toBeLessThanOrEqual(1);

    const columns = await page.getByRole('columnheader').allInnerTexts();
    const documented = ['Agent', 'Status', 'Allocated TPS', 'Actual TPS', 'Efficiency %', 'Actual Mbps'];
    expect(columns.map((column) => column.trim())).toEqual(documented);
    const console = page.getByRole('row').filter({ hasText: 'console' });
    expect((await console.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/console Idle 0 0 .* 0\.0/);

    expect(await page.getByText(/^\d+ ms$/).count()).toBe(1);
    await page.getByText(/Next in [0-2] s/).waitFor();
    await page.getByRole('button', { name: 'Refresh' }).click();
    expect(problems).toEqual([]);
  });

  it('raises a limit of 40 to 100 when the field is left, and refuses "abc" at the field', async () => {
    await page.goto(`${product.fleet.url}/settings`);
    const limit = page.getByLabel('Global Limit');
    await limit.fill('abc');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page
      .getByText(/whole number/)
      .first()
      .waitFor();
    expect(await limit.getAttribute('aria-invalid')).toBe('true');
    expect((await product.fleet.admin.call('governorSettings')).version).toBe(0);

    await limit.fill('40');
    await limit.blur();
    expect(await limit.inputValue()).toBe('100');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText(/version 1/).waitFor();
    const saved = await product.fleet.admin.call('governorSettings');
    expect(saved).toMatchObject({ changedBy: 'admin', settings: { globalLimitTps: 100 } });
  });

  it('computes the worked example from the values on the page: 164 TPS are 4,920 credits, 492 TPS, 300 %', async () => {
    await page.goto(`${product.fleet.url}/settings`);
    await page.getByLabel('Global Limit').fill('164');
    // Windows of this console last 2 s; the share spent in a third of the window still makes 300 %.
    const example = page.getByRole('heading', { name: 'Worked example' }).locator('xpath=ancestor::section[1]');
    const text = (await example.innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toContain('164 TPS');
    expect(text).toContain('328');
    expect(text).toContain('492 TPS');
    expect(text).toContain('300.0%');
  });

  it('takes the monitor out of the navigation while limiting is off, and explains why on its page', async () => {
    const { settings } = await product.fleet.admin.call('governorSettings');
    await product.fleet.admin.call('saveGovernorSettings', { body: { ...settings, enabled: false } });
    await page.goto(`${product.fleet.url}/monitor`);
    await page.getByText('TPS rate limiting is off').waitFor();
    const navigation = page.getByRole('navigation').first();
    await navigation.getByText('Copy Jobs').waitFor();
    expect(await navigation.getByText('TPS Monitor').count()).toBe(0);
    await page.getByRole('link', { name: 'Open the settings' }).click();
    await page.getByLabel('Global Limit').waitFor();
    await product.fleet.admin.call('saveGovernorSettings', { body: settings });
  });

  it('is accessible on every page, in both themes, wide and narrow', async () => {
    const [job] = (await product.fleet.admin.call('jobs')).jobs;
    expect(await faultsOfPages(browser, product.fleet.url, [...PAGES, `/jobs/${job?.jobId}`])).toEqual([]);
  });

  it('forgets the session at logout', async () => {
    await page.goto(`${product.fleet.url}/jobs`);
    const cookies = await page.context().cookies();
    expect(cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([
      { httpOnly: true, sameSite: 'Strict' },
    ]);
    const stolen = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    await page.getByRole('button', { name: /admin/ }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    const answer = await fetch(`${product.fleet.url}/api/v1/jobs`, { headers: { cookie: stolen } });
    expect(answer.status).toBe(401);
    expect(JSON.stringify(await answer.json())).not.toContain(ADMIN_PASSWORD);
  });
});
