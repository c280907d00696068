import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorView } from '@weir/protocol';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type FixtureConsole, startFixtureConsole } from '../../../web/test/fixture/server.ts';
import { topCommand } from '../../src/commands/top.ts';
import type { TopFlags } from '../../src/commands/top-options.ts';
import type { Terminal } from '../../src/output/terminal.ts';

let console: FixtureConsole;
let folder: string;
let passwordFile: string;

beforeAll(async () => {
  console = await startFixtureConsole('mixed');
  folder = await mkdtemp(join(tmpdir(), 'weir-top-'));
  passwordFile = join(folder, 'password');
  await writeFile(passwordFile, 'secret\n');
});
afterEach(() => {
  console.calls.length = 0;
});
afterAll(async () => {
  await console.stop();
  await rm(folder, { recursive: true });
});

async function top(over: Partial<TopFlags> = {}): Promise<{ code: number; out: string }> {
  let out = '';
  const terminal: Terminal = {
    out: (text) => void (out += text),
    err: () => undefined,
    interactive: false,
    columns: 80,
  };
  const flags = { console: [console.url], user: 'admin', passwordFile, once: true, json: false, ...over };
  return { code: await topCommand(flags, terminal), out };
}

test('--once shows the monitor once, as plain text for a pipe, and logs out again', async () => {
  const { code, out } = await top();
  expect(code).toBe(0);
  expect(out).toContain('Weir TPS Monitor');
  expect(out).toMatch(/copy-fra-2 +Running +164 +492 +300\.0 %/);
  expect(out).toMatch(/registered, and the console ·[^]*\n\(console\) +Idle/);
  expect(out).not.toContain('\u001b');
  expect(console.calls).toEqual(['POST /api/v1/session', 'GET /api/v1/monitor', 'DELETE /api/v1/session']);
});

test('--json prints what the API answers, as one line', async () => {
  const { out } = await top({ json: true });
  expect(out.trim().split('\n')).toHaveLength(1);
  expect(monitorView.parse(JSON.parse(out)).registeredAgents).toBe(6);
});

test('a wrong password is told as such, once: it is not tried again', async () => {
  await writeFile(join(folder, 'wrong'), 'guess');
  await expect(top({ passwordFile: join(folder, 'wrong') })).rejects.toMatchObject({
    code: 'wrong-credentials',
    remedy: expect.stringContaining('--user'),
  });
  expect(console.calls).toEqual(['POST /api/v1/session']);
});

test('a console that is not there, and an address that is none, are told with what to do', async () => {
  await expect(top({ console: ['http://127.0.0.1:9'] })).rejects.toMatchObject({
    code: 'console-unreachable',
    remedy: expect.stringContaining('--console'),
  });
  await expect(top({ console: ['not an address'] })).rejects.toMatchObject({ code: 'options-invalid' });
});
