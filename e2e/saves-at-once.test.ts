import { EventEmitter, once } from 'node:events';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Product, startProduct } from './fixtures/product.ts';
import { expectAccessible, launchBrowser, logIn, openPage } from './fixtures/browser.ts';

const ADA_PASSWORD = 'ada-password-1';

const GOVERNOR = '**/api/v1/settings/governor*';

/** A page that hears nothing of others by itself, as one whose poll has not come yet. */
async function deafen(page: Page): Promise<void> {
  await page.route(GOVERNOR, (route) => (route.request().method() === 'GET' ? undefined : route.continue()));
}

/** It hears of them again. */
async function hear(page: Page): Promise<void> {
  await page.unroute(GOVERNOR);
}

/** Two administrators at two browsers: each test goes on where the one before ended. */
describe('two people who save at the same time', () => {
  let product: Product;
  let browser: Browser;
  let admin: { context: BrowserContext; page: Page; problems: string[] };
  let ada: { context: BrowserContext; page: Page; problems: string[] };

  beforeAll(async () => {
    product = await startProduct({ objects: 1, windowSeconds: 2 });
    const body = { username: 'ada', role: 'admin', password: ADA_PASSWORD } as const;
    await product.fleet.admin.call('createAccount', { body });
    browser = await launchBrowser();
    admin = await openPage(browser);
    ada = await openPage(browser);
    await logIn(admin.page, product.fleet.url);
    await logIn(ada.page, product.fleet.url, { username: 'ada', password: ADA_PASSWORD });
    admin.problems.length = 0;
    ada.problems.length = 0;
  });

  afterAll(async () => {
    await browser?.close();
    await product?.stop();
  });

  const settings = async (page: Page): Promise<void> => {
    await page.goto(`${product.fleet.url}/settings/tps-rate-limiting`);
    await page.getByLabel('Global Limit').waitFor();
  };
  const kept = async () => (await product.fleet.admin.call('governorSettings')).settings;

  it('refuses the second, says who was first and with what, and keeps what was typed', async () => {
    await settings(admin.page);
    await settings(ada.page);
    await admin.page.getByLabel('Alarm Threshold').fill('80');
    await admin.page.getByLabel('Global Limit').fill('7000');
    await deafen(admin.page);
    await ada.page.getByLabel('Global Limit').fill('8000');
    await ada.page.getByLabel('DELETE').check();
    await ada.page.getByRole('button', { name: 'Save changes' }).click();
    await ada.page.getByText('Settings saved').waitFor();

    await hear(admin.page);
    await admin.page.getByRole('button', { name: 'Save changes' }).click();
    const notice = admin.page.getByRole('status').filter({ hasText: 'ada changed these settings' });
    await notice.waitFor();
    const text = (await notice.innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/ada changed these settings (just now|\d+ s ago)/);
    expect(text).toMatch(/Global Limit: 10,000 TPS → to 8,000 TPS \(you typed something else\)/);
    expect(text).toMatch(/DELETE: not counted → to counted Nothing/);
    expect(await admin.page.getByLabel('Global Limit').inputValue()).toBe('7000');
    expect(await admin.page.getByLabel('Alarm Threshold').inputValue()).toBe('80');
    expect(await admin.page.getByRole('button', { name: 'Save changes' }).isDisabled()).toBe(true);
    expect(await kept()).toMatchObject({ globalLimitTps: 8_000, alarmThresholdPercent: 95 });
    await expectAccessible(admin.page);
  });

  it('saves both after "Keep what I typed": what was typed, and the fields of the other', async () => {
    await admin.page.getByRole('button', { name: 'Keep what I typed' }).click();
    expect(await admin.page.getByLabel('DELETE').isChecked()).toBe(true);
    expect(await admin.page.getByLabel('Global Limit').inputValue()).toBe('7000');
    await admin.page.getByRole('button', { name: 'Save changes' }).click();
    await admin.page.getByText('Settings saved').waitFor();
    expect(await kept()).toMatchObject({
      globalLimitTps: 7_000,
      alarmThresholdPercent: 80,
      transactionTypes: { DELETE: true },
    });
  });

  it('tells of it before anything is saved, where the page hears of it in time, and loads theirs when asked', async () => {
    await ada.page.getByText('Last changed by admin').waitFor();
    await admin.page.getByLabel('Global Limit').fill('6000');
    await ada.page.getByLabel('Alarm Threshold').fill('85');
    await ada.page.getByRole('button', { name: 'Save changes' }).click();
    await admin.page.getByText('ada changed these settings').waitFor();
    await admin.page.getByRole('button', { name: 'Load theirs' }).click();
    expect(await admin.page.getByLabel('Alarm Threshold').inputValue()).toBe('85');
    expect(await admin.page.getByLabel('Global Limit').inputValue()).toBe('7000');
    expect(await admin.page.getByText('Not saved yet').count()).toBe(0);
  });

  it('keeps what is typed while a save is under way', async () => {
    const { page } = ada;
    // A page that says nothing of an earlier save.
    await settings(page);
    const save = new EventEmitter();
    const isSent = once(save, 'sent');
    const isTyped = once(save, 'typed');
    await page.route(GOVERNOR, async (route) => {
      if (route.request().method() === 'PUT') {
        save.emit('sent');
        await isTyped;
      }
      await route.continue();
    });
    await page.getByLabel('Alarm Threshold').fill('86');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await isSent;
    await page.getByLabel('Global Limit').fill('6500');
    save.emit('typed');
    await page.getByText('Settings saved').waitFor();
    await hear(page);
    expect(await page.getByLabel('Global Limit').inputValue()).toBe('6500');
    await page.getByText('Not saved yet').waitFor();
    expect(await kept()).toMatchObject({ alarmThresholdPercent: 86, globalLimitTps: 7_000 });
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('does the same for a quota', async () => {
    const period = { unit: 'hour', count: 1 } as const;
    const { definitionId } = await product.fleet.admin.call('createQuota', {
      body: { storeId: 'memory', quota: 'api', limit: 100, period },
    });
    for (const { page } of [admin, ada]) {
      await page.goto(`${product.fleet.url}/quotas/definitions/${definitionId}`);
      await page.getByRole('button', { name: 'Change' }).click();
    }
    await admin.page.getByRole('dialog').getByLabel('Limit for each subject').fill('500');
    await ada.page.getByRole('dialog').getByLabel('Shadow').check();
    await ada.page.getByRole('dialog').getByRole('button', { name: 'Save the quota' }).click();
    await ada.page.getByText('api is changed').waitFor();
    const dialog = admin.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save the quota' }).click();
    await dialog.getByText('ada changed this quota').waitFor();
    await expectAccessible(admin.page);
    await dialog.getByRole('button', { name: 'Keep what I typed' }).click();
    await dialog.getByRole('button', { name: 'Save the quota' }).click();
    await admin.page.getByText('api is changed').waitFor();
    const [quota] = (await product.fleet.admin.call('quotas')).quotas;
    expect(quota).toMatchObject({ limit: 500, shadow: true, changedBy: 'admin' });
  });

  it('goes on from a quota that was changed there and back again: nothing is to be decided', async () => {
    const [quota] = (await product.fleet.admin.call('quotas')).quotas;
    if (quota === undefined) throw new Error('the quota is gone');
    const { definitionId, storeId, period, limit } = quota;
    await admin.page.reload();
    await admin.page.getByRole('button', { name: 'Change' }).click();
    const dialog = admin.page.getByRole('dialog');
    await dialog.getByLabel('Shadow').uncheck();
    for (const other of [200, limit]) {
      const body = { storeId, quota: 'api', period, limit: other, shadow: true };
      await product.fleet.admin.call('changeQuota', { params: { definitionId }, body });
    }
    await dialog.getByRole('button', { name: 'Save the quota' }).click();
    await dialog.getByText('admin changed this meanwhile.').waitFor();
    await dialog.getByRole('button', { name: 'Save the quota' }).click();
    await admin.page.getByText('api is changed').waitFor();
    expect((await product.fleet.admin.call('quotas')).quotas[0]).toMatchObject({ limit, shadow: false });
  });

  it('leaves an audit log that names each field with its old and new value, on the page and in its exports', async () => {
    const { page } = admin;
    await page.goto(`${product.fleet.url}/settings/audit-log`);
    await page.getByLabel('What', { exact: true }).selectOption({ label: 'Settings' });
    await page.getByText(/^4 entries shown, all that fit/).waitFor();
    const rows = (await page.getByRole('row').allInnerTexts()).map((row) => row.replaceAll(/\s+/g, ' '));
    expect(rows[3]).toMatch(
      /admin TPS settings changed .*Global Limit: 8,000 TPS → to 7,000 TPS Alarm Threshold: 95% → to 80% 127/,
    );
    expect(rows.join(' ')).not.toMatch(/allocationPolicy|Cost model|pacing/);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const stream = await download.createReadStream();
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    expect(text).toContain('globalLimitTps: 8000 → 7000; alarmThresholdPercent: 95 → 80');
    expect(text).not.toContain(ADA_PASSWORD);
    expect(ada.problems).toEqual([]);
    // Both saves that were refused: Chromium reports their status.
    expect(admin.problems.filter((problem) => !problem.includes('409'))).toEqual([]);
  });
});
