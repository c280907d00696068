import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient, withSessionCookies, type Client } from '@weir/client';
import { startConsole, type RunningConsole } from '@weir/console';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { s3EndpointProbe } from '../../src/endpoint-probe.ts';
import { startWeir, type Running } from '../support/running.ts';

const PASSWORD = 'admin-password-1';
let dir: string;
let console: RunningConsole;
let admin: Client;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-revoked-'));
  console = await startConsole(
    { dataDir: join(dir, 'console'), port: 0, windowSeconds: 1, logLevel: 'silent', adminPassword: PASSWORD },
    { endpointProbe: s3EndpointProbe },
  );
  admin = createClient({ baseUrl: console.url, fetch: withSessionCookies() });
  await admin.call('login', { body: { username: 'admin', password: PASSWORD } });
});
afterEach(async () => {
  await console.stop();
  await rm(dir, { recursive: true });
});

function startAgent(...more: string[]): Running {
  return startWeir('agent', '--console', console.url, '--name', 'a1', '--state-dir', join(dir, 'agent'), ...more);
}

async function onlineAgent(): Promise<string> {
  for (;;) {
    const { agents } = await admin.call('agents');
    const online = agents.find(({ status }) => status !== 'offline');
    if (online !== undefined) return online.agentId;
    await wait(50);
  }
}

test('an agent that is revoked says so, by whom and what to do, with an exit code of its own, and so does its next start', async () => {
  const agent = startAgent('--token', console.enrolmentToken, '--json');
  await admin.call('revokeAgent', { params: { agentId: await onlineAgent() } });
  const ended = await agent.done;
  expect(ended.code).toBe(77);
  const [started, end] = ended.out.trim().split('\n');
  // Nothing but results there: what starts an agent reads the first line.
  expect(JSON.parse(started ?? '')).toMatchObject({ event: 'started', console: console.url });
  expect(JSON.parse(end ?? '')).toMatchObject({
    error: {
      code: 'agent-revoked',
      message: expect.stringContaining('The agent a1 was revoked by admin'),
      remedy: expect.stringContaining('WEIR_TOKEN='),
    },
  });
  expect(ended.err).toContain('"msg":"enrolled at the console"');
  const again = await startAgent().done;
  expect(again.code).toBe(77);
  expect(again.err).toContain('weir: the console refuses this agent. The agent a1 was revoked by admin');
  expect(again.out).toBe('');
});

test('an agent that the console does not know ends as one that could not start', async () => {
  const agent = startAgent('--token', console.enrolmentToken);
  await onlineAgent();
  agent.signal('SIGTERM');
  expect((await agent.done).code).toBe(0);
  await console.stop();
  const port = new URL(console.url).port;
  console = await startConsole(
    { dataDir: join(dir, 'another'), port: Number(port), logLevel: 'silent', adminPassword: PASSWORD },
    { endpointProbe: s3EndpointProbe },
  );
  const refused = await startAgent().done;
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('If the console was set up anew, start the agent with the enrolment token');
});
