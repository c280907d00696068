import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError } from '@weir/client';
import type { ErrorCode } from '@weir/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointBody, type Product, SOURCE_BUCKET, startProduct } from './fixtures/product.ts';
import { weir } from './fixtures/weir-command.ts';

/** The refusal of a call that must be refused. */
async function refusal(
  call: Promise<unknown>,
): Promise<{ code: ErrorCode; status: number; fields: string[]; text: string }> {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new TypeError(`not refused by the console: ${String(error)}`);
  const fields = error.fields.map(({ field }) => field);
  return { code: error.code, status: error.status, fields, text: `${error.message} ${JSON.stringify(error.fields)}` };
}

/** A port of this machine where nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('bad input gets a clear error and changes nothing', () => {
  let product: Product;
  let stateDir: string;

  beforeAll(async () => {
    product = await startProduct({ objects: 20, windowSeconds: 2 });
    stateDir = await mkdtemp(join(tmpdir(), 'weir-e2e-agent-'));
  });

  afterAll(async () => {
    await product?.stop();
    if (stateDir !== undefined) await rm(stateDir, { recursive: true, force: true });
  });

  const settings = () => product.fleet.admin.call('governorSettings');

  it('raises a limit of 40 to 100', async () => {
    await product.setLimit(40);
    expect((await settings()).settings.globalLimitTps).toBe(100);
  });

  it('refuses a limit of "abc", naming the field, the value and what would be right', async () => {
    const before = await settings();
    const body = { ...before.settings, globalLimitTps: 'abc' };
    // @ts-expect-error -- the client's types refuse it already; the console has to as well
    const refused = await refusal(product.fleet.admin.call('saveGovernorSettings', { body }));
    expect(refused).toMatchObject({ code: 'validation-failed', status: 400, fields: ['globalLimitTps'] });
    expect(refused.text).toContain('abc');
    expect(refused.text).toContain('whole number of TPS');
    expect(await settings()).toEqual(before);
  });

  it('refuses a setting that it does not know instead of ignoring it', async () => {
    const before = await settings();
    const body = { ...before.settings, globalLimitTps: 5_000, globalLimit: 7_000 };
    const refused = await refusal(product.fleet.admin.call('saveGovernorSettings', { body }));
    expect(refused).toMatchObject({ code: 'validation-failed', status: 400 });
    expect(refused.text).toContain('globalLimit');
    expect(await settings()).toEqual(before);
  });

  it('refuses an endpoint that nobody answers at, and does not save it', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const body = endpointBody('Nowhere', { ...product.source, url });
    const refused = await refusal(product.fleet.admin.call('createEndpoint', { body }));
    expect(refused).toMatchObject({ code: 'endpoint-unreachable', fields: ['url'] });
    expect((await product.fleet.admin.call('endpoints')).endpoints).toEqual([]);
  });

  it('refuses a job from or to a bucket that does not exist, and queues nothing', async () => {
    const body = endpointBody('Source', product.source);
    const { endpointId } = await product.fleet.admin.call('createEndpoint', { body });
    const place = (bucket: string) => ({ endpointId, bucket, prefix: '' });
    for (const [field, source, target] of [
      ['source.bucket', 'no-such-bucket', SOURCE_BUCKET],
      ['target.bucket', SOURCE_BUCKET, 'no-such-bucket'],
    ] as const) {
      const job = { name: 'Lost', source: place(source), target: place(target) };
      const refused = await refusal(product.fleet.admin.call('createJob', { body: job }));
      expect(refused).toMatchObject({ code: 'bucket-not-found', fields: [field] });
      expect(refused.text).toContain('no-such-bucket');
    }
    expect((await product.fleet.admin.call('jobs')).jobs).toEqual([]);
  });

  it('ends an agent with a wrong token: exit code 2, the reason, nothing stored', async () => {
    const args = ['agent', '--console', product.fleet.url, '--name', 'intruder', '--state-dir', stateDir];
    const { code, err } = await weir([...args, '--log-level', 'silent'], {
      environment: { WEIR_TOKEN: 'wrong-token' },
    });
    expect(code).toBe(2);
    expect(err).toMatch(/enrolment token/i);
    expect(err).not.toContain('at file:');
    expect((await product.fleet.admin.call('agents')).agents).toEqual([]);
    expect(await readdir(stateDir)).toEqual([]);
  });

  it('explains wrong usage of the command: exit code 2 and where help is', async () => {
    for (const args of [['fly'], ['simulate'], ['console', '--port', '70000'], ['console', '--fast'], ['agent']]) {
      const { code, out, err } = await weir(args);
      expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
      expect(err).toMatch(/^(error|weir): /);
      expect(err).toContain('--help');
    }
  });

  it('names every problem of a scenario file at once, also as JSON', async () => {
    const input = JSON.stringify({ globalLimitTps: 'abc', windows: 3, speed: 1, agents: [{ id: 'a', demandTps: -1 }] });
    const people = await weir(['simulate', '-'], { input });
    expect(people.code).toBe(2);
    for (const field of ['globalLimitTps', 'speed', 'agents']) expect(people.err).toContain(field);
    const program = await weir(['simulate', '-', '--json'], { input });
    expect({ code: program.code, err: program.err }).toEqual({ code: 2, err: '' });
    expect(JSON.parse(program.out)).toHaveProperty('error.code', 'scenario-invalid');
  });
});
