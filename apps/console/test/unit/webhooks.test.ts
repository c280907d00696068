import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WebhookInput } from '@weir/protocol';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWebhook } from '../../src/actions/create-webhook.ts';
import { deleteWebhook } from '../../src/actions/delete-webhook.ts';
import { listDeliveries, listWebhooks } from '../../src/actions/list-webhooks.ts';
import { testWebhook } from '../../src/actions/test-webhook.ts';
import { nextAttemptAt } from '../../src/webhooks/message.ts';
import { TestConsole, usageOf } from '../support/test-console.ts';

let console: TestConsole;
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-webhooks-'));
  console = await TestConsole.start({ path: join(dir, 'weir.db') });
});
afterEach(async () => {
  await console.stop();
  await rm(dir, { recursive: true });
});

const HOOK: WebhookInput = {
  name: 'ops',
  secretUrl: 'https://hooks.example/T0/secret',
  format: 'json',
  reminders: false,
};
const add = (input: Partial<WebhookInput> = {}) => createWebhook(console.context, { ...HOOK, ...input }, 'admin');

const code = async (input: Partial<WebhookInput>) =>
  add(input).then(
    () => 'saved',
    (error: { code: string }) => error.code,
  );

let windowNumber = 0;
async function report(percent: number): Promise<void> {
  const agent = console.context.fleet.findByName('a') ?? (await console.agent('a')).live;
  const grant = { epoch: 'e', windowNumber: (windowNumber += 1), creditBudget: 300_000 };
  const usage = usageOf(grant, { actualTps: percent * 100 });
  await console.known(agent.agentId).heartbeat({ runningJobs: 1, usage });
}

/** Lets some minutes pass at this share of the limit. */
async function minutes(count: number, percent: number): Promise<void> {
  for (let half = 0; half < count * 2; half += 1) {
    await report(percent);
    await console.clock.advance(30_000);
  }
}

const bodies = () => console.webhooks.received.map(({ body }): { event: string; text: string } => JSON.parse(body));

async function restart(): Promise<void> {
  const { clock, webhooks } = console;
  await console.stop();
  console = await TestConsole.start({ path: join(dir, 'weir.db'), clock, webhooks });
}

test('an alarm is told once when it begins and once when it ends, with a signature over the bytes that were sent', async () => {
  const { signingSecret } = await add();
  await minutes(3, 96);
  await minutes(3, 10);
  expect(bodies().map(({ event }) => event)).toEqual(['raised', 'cleared']);
  expect(bodies()[0]?.text).toMatch(/^\[WARNING\] CV-TPS-001 TPS Limit Utilization High raised: 96% of 10,000 TPS/);
  for (const { url, headers, body } of console.webhooks.received) {
    expect(url).toBe('https://hooks.example/T0/secret');
    const [, seconds, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['weir-signature'] ?? '') ?? [];
    expect(signature).toBe(createHmac('sha256', signingSecret).update(`${seconds}.${body}`).digest('hex'));
  }
});

test('Slack gets a text and nothing else; reminders are sent to those who want them', async () => {
  await add({ name: 'slack', format: 'slack', reminders: true });
  await add({ name: 'plain' });
  await minutes(7, 99);
  const slack = console.webhooks.received.filter(({ body }) => Object.keys(JSON.parse(body)).join() === 'text');
  expect(slack.map(({ body }) => body.includes('still active'))).toEqual([false, true]);
  expect(console.webhooks.received.filter((sent) => !slack.includes(sent))).toHaveLength(1);
});

test('a message that was not received is sent again later and later, the same bytes under the same id, and in order', async () => {
  await add();
  console.webhooks.outcome = { status: 503 };
  await minutes(3, 96);
  await minutes(3, 10);
  const attempts = console.webhooks.received.length;
  expect(attempts).toBeGreaterThan(3);
  expect(new Set(console.webhooks.received.map(({ body }) => body)).size).toBe(1);
  expect(new Set(console.webhooks.received.map(({ headers }) => headers['weir-delivery'])).size).toBe(1);
  expect(await listWebhooks(console.context)).toMatchObject([
    { waiting: 2, lastFailure: 'it answered with status 503' },
  ]);

  console.webhooks.outcome = { status: 204 };
  await console.clock.advance(15 * 60_000);
  expect(
    bodies()
      .slice(attempts)
      .map(({ event }) => event),
  ).toEqual(['raised', 'cleared']);
  await console.clock.advance(3_600_000);
  expect(console.webhooks.received).toHaveLength(attempts + 2);
  expect(await listWebhooks(console.context)).toMatchObject([{ waiting: 0, lastFailure: null }]);
});

test('messages that wait survive a restart; those that were delivered are not sent again', async () => {
  await add();
  await minutes(1, 96);
  expect(bodies().map(({ event }) => event)).toEqual(['raised']);
  console.webhooks.outcome = { problem: 'connect ECONNREFUSED' };
  await minutes(2, 10);
  const before = console.webhooks.received.length;
  await restart();
  console.webhooks.outcome = { status: 200 };
  await console.clock.advance(60_000);
  expect(
    bodies()
      .slice(before)
      .map(({ event }) => event),
  ).toEqual(['cleared']);
  expect((await listDeliveries(console.context, 10)).map(({ state, event }) => [event, state])).toEqual([
    ['cleared', 'delivered'],
    ['raised', 'delivered'],
  ]);
});

test('an alarm that was active when the console stopped is neither told twice nor forgotten', async () => {
  await add();
  await minutes(1, 96);
  await restart();
  // Within the cooldown nothing new is said; ten minutes after the last firing the alarm ends by itself.
  await minutes(3, 90);
  expect(bodies().map(({ event }) => event)).toEqual(['raised']);
  await minutes(8, 90);
  expect(bodies().map(({ event }) => event)).toEqual(['raised', 'expired']);
});

test('a webhook that hangs does not hold up another', async () => {
  await add({ name: 'a-hangs', secretUrl: 'https://hangs.example/' });
  await add({ name: 'b-quick' });
  const release = console.webhooks.hold('https://hangs.example/');
  await report(96);
  await console.clock.advance(2_000);
  const states = async () =>
    Object.fromEntries(
      (await listDeliveries(console.context, 10)).map(({ webhookName, state }) => [webhookName, state]),
    );
  expect(await states()).toEqual({ 'a-hangs': 'waiting', 'b-quick': 'delivered' });
  release();
  await console.clock.advance(2_000);
  expect(await states()).toEqual({ 'a-hangs': 'delivered', 'b-quick': 'delivered' });
});

test('what is shown of a webhook holds neither its path nor its secret, and nor does the database', async () => {
  const created = await add();
  const shown = JSON.stringify([await listWebhooks(console.context), created.webhook]);
  expect(shown).toContain('https://hooks.example');
  expect(shown).not.toContain('T0');
  const [stored] = await console.storage.webhooks.all();
  expect(JSON.stringify(stored)).not.toMatch(new RegExp(`T0|${created.signingSecret}`));
});

test('metadata addresses, credentials in the address, a name twice and more than ten webhooks are refused', async () => {
  expect(await code({ secretUrl: 'http://169.254.169.254/latest' })).toBe('endpoint-forbidden-address');
  expect(await code({ secretUrl: 'http://metadata.internal/x' })).toBe('endpoint-forbidden-address');
  expect(await code({ secretUrl: 'https://user:pass@hooks.example/' })).toBe('validation-failed');
  expect(await code({})).toBe('saved');
  expect(await code({})).toBe('name-taken');
  for (let n = 2; n <= 10; n += 1) expect(await code({ name: `hook ${n}` })).toBe('saved');
  expect(await code({ name: 'hook 11' })).toBe('wrong-state');
});

test('a test message is sent once, now, and its failure is told', async () => {
  const { webhook } = await add();
  expect(await testWebhook(console.context, webhook.webhookId, 'admin')).toMatchObject({ ok: true, status: 200 });
  console.webhooks.outcome = { status: 302 };
  expect(await testWebhook(console.context, webhook.webhookId, 'admin')).toMatchObject({
    ok: false,
    problem: 'it answered with status 302: redirects are not followed',
  });
  await console.clock.advance(60_000);
  expect(bodies().map(({ event }) => event)).toEqual(['test', 'test']);
  await deleteWebhook(console.context, webhook.webhookId, 'admin');
  await expect(testWebhook(console.context, webhook.webhookId, 'admin')).rejects.toMatchObject({ code: 'not-found' });
});

test('a test message that was received counts as received, also after a restart, and is no message of an alarm', async () => {
  const { webhook } = await add();
  console.webhooks.outcome = { status: 503 };
  await testWebhook(console.context, webhook.webhookId, 'admin');
  expect(await listWebhooks(console.context)).toMatchObject([{ lastDeliveredAtMs: null, lastFailure: null }]);
  await minutes(1, 96);
  expect(await listWebhooks(console.context)).toMatchObject([
    { waiting: 1, lastDeliveredAtMs: null, lastFailure: 'it answered with status 503' },
  ]);
  console.webhooks.outcome = { status: 200 };
  const atMs = console.clock.nowMs();
  await testWebhook(console.context, webhook.webhookId, 'admin');
  await restart();
  expect(await listWebhooks(console.context)).toMatchObject([
    { waiting: 1, lastDeliveredAtMs: atMs, lastFailure: null },
  ]);
  expect((await listDeliveries(console.context, 50)).map(({ event }) => event)).toEqual(['raised']);
});

test('a webhook that is removed while its test message is under way is gone, and the test is told', async () => {
  const { webhook } = await add();
  const { webhooks, context } = console;
  const release = webhooks.hold(HOOK.secretUrl);
  const told = testWebhook(context, webhook.webhookId, 'admin');
  await vi.waitFor(() => expect(webhooks.received).toHaveLength(1));
  await deleteWebhook(context, webhook.webhookId, 'admin');
  release();
  expect(await told).toMatchObject({ ok: true });
  expect(await listWebhooks(context)).toEqual([]);
});

test('pauses grow to an hour, and after a day a message is given up', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 0, max: 90_000_000 }), (attempts, ageMs) => {
      const next = nextAttemptAt(attempts, 0, ageMs);
      if (next === null) return ageMs + 3_600_000 > 86_400_000;
      return next - ageMs >= 10_000 && next - ageMs <= 3_600_000 && next <= 86_400_000;
    }),
  );
  let atMs = 0;
  let attempts = 0;
  for (let next: number | null = 0; next !== null; next = nextAttemptAt((attempts += 1), 0, atMs)) atMs = next;
  expect(attempts).toBeLessThan(50);
});
