import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, launchBrowser } from './fixtures/browser.ts';
import { type MonitorPage, openMonitor, plainText as text } from './fixtures/monitor-page.ts';

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

async function pages(...given: Parameters<typeof openMonitor> extends [unknown, ...infer Rest] ? Rest : never) {
  open = await openMonitor(browser, ...given);
  return open;
}

describe('the pages, when something is wrong', () => {
  it('say who they are and that they keep trying while the console has not answered, and go on by themselves', async () => {
    const at = await pages('three', { before: (console) => (console.failing = true) });
    await at.page.getByRole('alert').waitFor();
    expect(await text(at.page.getByRole('main'))).toMatch(
      /^Weir .*The console is not ready\. .* Try again This page keeps trying, and goes on by itself\.$/,
    );
    expect(await at.page.title()).toBe('No answer yet · Weir');
    await expectAccessible(at.page);
    at.console.failing = false;
    await at.pass(5_500);
    await at.row('console').waitFor();
    expect(await at.page.title()).toBe('TPS Monitor · Weir');
  });

  it('say so when the code of a page cannot be read, keep the navigation, and show the page when it is there again', async () => {
    const at = await pages('three');
    await at.row('console').waitFor();
    const code = '**/assets/alarms-page-*.js';
    await at.page.route(code, (route) => route.fulfill({ status: 404, body: 'gone' }));
    await at.page.getByRole('link', { name: 'Alarms' }).click();
    await at.page.getByText('This page cannot be shown.').waitFor();
    await expectAccessible(at.page);
    // Other pages are read and shown as ever.
    await at.page.getByRole('link', { name: 'Agents' }).click();
    await at.page.getByRole('heading', { name: 'Enrol an agent' }).waitFor();
    await at.page.getByRole('link', { name: 'Alarms' }).click();
    await at.page.getByText('This page cannot be shown.').waitFor();
    await at.page.unroute(code);
    await at.page.getByRole('button', { name: 'Load it again' }).click();
    await at.page.getByRole('heading', { level: 1, name: 'Alarms' }).waitFor();
    expect(await at.page.getByText('This page cannot be shown.').count()).toBe(0);
  });

  it('tell on a phone who is logged in, because what a viewer may not do has no button', async () => {
    const at = await pages('viewer', { page: { viewport: { width: 390, height: 844 } } });
    await at.page.getByRole('button', { name: 'User menu of admin' }).click();
    expect(await text(at.page.getByRole('menu'))).toMatch(/^admin Viewer Theme/);
    await expectAccessible(at.page);
  });
});

const PATHS = [
  '/monitor',
  '/jobs',
  '/jobs/job-stuck',
  '/agents',
  '/alarms',
  '/quotas',
  '/quotas/stores',
  '/quotas/audits',
  '/quotas/definitions/qta-api',
  '/quotas/audits/aud-1',
  '/settings/endpoints',
  '/settings/consoles',
  '/settings/accounts',
];

/** Ports and labels of addresses that stand on two lines, though a line has room for them. */
const TORN = `(() => {
  const torn = [];
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    for (const match of node.data.matchAll(/:\\d{2,5}\\b|\\.example\\b|\\bAKIA\\w+/g)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (lines.size > 1) torn.push(match[0] + ' of ' + node.parentElement.innerText);
    }
  }
  return torn;
})()`;

describe.each(['mixed', 'troubled-group'])('the pages of a full console (%s) on a phone', (scenario) => {
  it('are no wider than it, and tear no port, label or access key', async () => {
    const at = await pages(scenario, { page: { viewport: { width: 390, height: 844 } } });
    const faults: string[] = [];
    for (const path of PATHS) {
      await at.page.goto(`${at.console.url}${path}`);
      await at.page.getByRole('heading', { level: 1 }).waitFor();
      await at.page.waitForLoadState('networkidle');
      const overflowPx = await at.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (overflowPx > 0) faults.push(`${path}: ${overflowPx} px wider than the window`);
      const torn: string[] = await at.page.evaluate(TORN);
      faults.push(...torn.map((what) => `${path}: ${what}`));
    }
    expect(faults).toEqual([]);
  });
});
