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

async function agents(scenario: string): Promise<MonitorPage> {
  open = await openMonitor(browser, scenario, { path: '/agents' });
  return open;
}

describe('the agents page', () => {
  it('shows version, host, age of the heartbeat, jobs and ranges, and sorts by each', async () => {
    const at = await agents('mixed');
    const row = at.page.getByRole('row').filter({ hasText: 'copy-fra-1' });
    await row.waitFor();
    expect(await text(row)).toMatch(
      /copy-fra-1 copy-fra-1\.storage\.example\.net Running 0\.1\.0 (just now|\d+ s ago) 1 \/ 2 3,519 \/ 3,910 0 Revoke/,
    );
    expect(await text(at.page.getByRole('row').filter({ hasText: 'copy-old-1' }))).toContain('protocol 1, update');
    await at.page.getByRole('button', { name: 'TPS', exact: true }).click();
    expect(await text(at.page.getByRole('row').nth(1))).toContain('copy-ams-1');
    await expectAccessible(at.page);
  });

  it('gives administrators the command that enrols an agent, and viewers nothing to copy or revoke', async () => {
    const at = await agents('three');
    await at.page.getByText(/WEIR_TOKEN=\S+ weir agent --console https/).waitFor();
    await at.close();
    const viewer = await agents('viewer');
    await viewer.page.getByText('Administrators see the command with its token here.').waitFor();
    expect(await viewer.page.getByRole('button', { name: /Revoke/ }).count()).toBe(0);
    expect(viewer.console.calls).not.toContain('GET /api/v1/enrolment');
  });

  it('names all consoles of a group in that command, and none of them is out of sight on a narrow page', async () => {
    const at = await agents('group');
    const command = at.page.getByLabel('Command that enrols an agent');
    await command.waitFor();
    const consoles = [2, 1, 3].map((number) => `http://10.20.0.${10 + number}:8180`).join(',');
    expect(await text(command)).toContain(`weir agent --console ${consoles}`);
    await at.page.getByText('It names the 3 consoles of this group').waitFor();
    await at.page.setViewportSize({ width: 380, height: 800 });
    expect(await command.evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
    await expectAccessible(at.page);
  });

  it('revokes an agent only after it has asked, and says what that means', async () => {
    const at = await agents('three');
    const revoked = (): string[] => at.console.calls.filter((call) => call.endsWith('/revoke'));
    await at.page.getByRole('button', { name: 'Revoke copy-fra-2' }).click();
    const dialog = at.page.getByRole('alertdialog').or(at.page.getByRole('dialog'));
    expect(await text(dialog)).toContain('Its credential stops working at once');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(revoked()).toEqual([]);
    await at.page.getByRole('button', { name: 'Revoke copy-fra-2' }).click();
    await dialog.getByRole('button', { name: 'Revoke the agent' }).click();
    await at.page.getByText('copy-fra-2 is revoked').waitFor();
    expect(revoked()).toHaveLength(1);
  });

  it('draws only the rows in sight of hundreds of agents', async () => {
    const at = await agents('five-hundred');
    const table = at.page.getByRole('table', { name: 'Agents' });
    expect(await table.getAttribute('aria-rowcount')).toBe('501');
    expect(await table.getByRole('row').count()).toBeLessThan(80);
    await at.page.getByLabel('Filter agents by name or host').fill('copy-lon-499');
    await at.page.getByRole('button', { name: 'Revoke copy-lon-499' }).waitFor();
  });

  it('of thousands of agents lists those that need a look, and asks the console for others', async () => {
    const at = await agents('thousands');
    await at.page.getByRole('heading', { name: '5,000 agents' }).waitFor();
    const table = at.page.getByRole('table', { name: 'Agents' });
    const words = /^4,\d{3} online · the 2,000 of 5,000 agents that most need a look; filter by name or host to find/;
    await at.page.getByText(words).waitFor();
    await at.page.getByText(/^\d+ agents with an older protocol$/).waitFor();
    expect(await table.getAttribute('aria-rowcount')).toBe('2001');
    expect(await text(table.getByRole('row').nth(1))).toContain('Cannot');
    const asked = at.page.waitForRequest((request) =>
      request.url().includes('/agents?revoked=false&name=copy-LON-4999'),
    );
    await at.page.getByLabel('Filter agents by name or host').fill(' copy-LON-4999');
    await at.page.clock.runFor(400);
    await asked;
    await at.page.getByRole('button', { name: 'Revoke copy-lon-4999' }).waitFor();
    expect(await table.getAttribute('aria-rowcount')).toBe('2');
    await expectAccessible(at.page);
    expect(at.problems).toEqual([]);
  });

  it('shows revoked agents when it is asked to, and says how many there are', async () => {
    const at = await agents('thousands');
    const asked = at.page.waitForRequest((request) => request.url().endsWith('/agents?revoked=true'));
    await at.page.getByLabel('Show revoked (200)').check();
    await asked;
    await at.page.getByText('the 1,800 of 5,200 agents that most need a look, and 200 revoked').waitFor();
    // Sorted the other way round, those that need a look least come first.
    await at.page.getByRole('button', { name: 'Status', exact: true }).click();
    expect(await text(at.page.getByRole('row').nth(1))).toContain('Revoked');
    await at.page.getByLabel('Filter agents by name or host').fill('copy-dub-5200');
    await at.page.clock.runFor(400);
    const row = at.page.getByRole('row').filter({ hasText: 'copy-dub-5200' });
    expect(await text(row)).toContain('Revoked');
    await at.page.getByLabel('Show revoked (200)').uncheck();
    await at.page.getByText('No agent matches').waitFor();
  });
});
