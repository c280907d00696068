import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, launchBrowser } from './fixtures/browser.ts';
import { type MonitorPage, openMonitor, plainText as text } from './fixtures/monitor-page.ts';

const PATH = '/settings/consoles';

let browser: Browser;
let open: MonitorPage | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
});
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function look(scenario: string, path: string): Promise<MonitorPage> {
  open = await openMonitor(browser, scenario, { path });
  return open;
}

describe('the consoles', () => {
  it('shows who leads and since when, who stands by, and whether what they share answers', async () => {
    const { page } = await look('group', PATH);
    const figures = page.getByRole('region', { name: 'Group of consoles' });
    await figures.waitFor();
    expect(await text(figures)).toMatch(
      /Leader weir-2 term 17 Took the lead 3 h ago .* Consoles here 3 of 3 2 stand by Takeovers 2 in the last 24 h/,
    );
    expect(await text(figures)).toMatch(/Redis redis\S+:6379, answers in .* PostgreSQL db\S+\/weir, answers in 1 ms/);
    const rows = page.getByRole('table', { name: 'Consoles' }).getByRole('row');
    expect(await text(rows.nth(1))).toMatch(/^weir-2\.fra\.example\.net http:\/\/10\.20\.0\.12:8180 Leads 0\.1\.0 /);
    expect(await text(rows.nth(2))).toMatch(/Stands by 0\.1\.0 .* (just now|\d s ago)$/);
    const taken = page.getByRole('table', { name: 'Who took the lead' }).getByRole('row');
    expect(await text(taken.nth(1))).toMatch(/leads since then weir-2\.fra\.example\.net .* 17$/);
    await expectAccessible(page);
  });

  it('says on every page that one is missing, until somebody knows it', async () => {
    const { page } = await look('troubled-group', '/agents');
    const banner = page.getByText('The console weir-1 is missing. 1 more thing to look at.');
    await banner.waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Look at the consoles' }).click();
    await page.getByText('The console weir-3: the database does not answer it.').waitFor();
    expect(await banner.count()).toBe(0);
    const row = page.getByRole('row').filter({ hasText: '10.20.0.11' }).first();
    expect(await text(row)).toMatch(/Missing 0\.1\.0 not known 3 h ago/);
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await banner.waitFor();
    await page.getByRole('button', { name: 'Hide' }).click();
    await banner.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Alarms', exact: true }).click();
    await page.getByRole('heading', { name: 'Alarms', level: 1 }).waitFor();
    expect(await banner.count()).toBe(0);
  });

  it('says that the leader is older where it does not know the question', async () => {
    open = await openMonitor(browser, 'group', { path: PATH, before: ({ older }) => void older.push('consoles') });
    await open.page.getByText('The console that leads is older than this page.').waitFor();
    expect(await open.page.getByRole('table').count()).toBe(0);
  });

  it('says of a console that is alone that it is, to viewers too', async () => {
    const { page } = await look('viewer', PATH);
    await page.getByText('One console, SQLite file, no group: when it ends, nobody takes over.').waitFor();
    await page.getByText('/var/lib/weir/console/weir.db, answers in less than 1 ms').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    await expectAccessible(page);
  });
});
