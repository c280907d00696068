import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startConsole } from '@weir/console';
import { startFaultProxy, type FaultProxy } from '@weir/testkit/network';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startAgent } from '../../src/index.ts';
import { endpointProbe } from './endpoint-probe.ts';
import { startS3Pair, TestFleet, until, type S3Pair } from './fleet.ts';

let s3: S3Pair;
let fleet: TestFleet;
/** Two ways to one console, as two consoles of a group are that pass everything on to their leader. */
let first: FaultProxy;
let second: FaultProxy;

beforeAll(async () => {
  s3 = await startS3Pair();
});

afterAll(async () => {
  await s3.stop();
});

beforeEach(async () => {
  fleet = await TestFleet.start(s3, { windowSeconds: 1, initialSplit: 1 });
  await fleet.setLimit(100);
  const port = Number(new URL(fleet.console.url).port);
  [first, second] = [await startFaultProxy({ port }), await startFaultProxy({ port })];
  fleet.atTheEnd(() => first.close());
  fleet.atTheEnd(() => second.close());
});

afterEach(async () => {
  await fleet.stop();
});

function urlOf({ port }: FaultProxy): string {
  return `http://127.0.0.1:${port}`;
}

/** Consoles that answered, in the order in which an agent noticed. */
function answering(): unknown[] {
  return fleet.log.flatMap(({ msg, console }) => (msg === 'this console answers' ? [console] : []));
}

async function windowNumbers(): Promise<number[]> {
  return (await fleet.windows()).map(({ windowNumber }) => windowNumber).sort((a, b) => a - b);
}

test('an agent whose console is killed goes on at the next address within the same heartbeat, and no window is lost', async () => {
  const jobId = await fleet.queueJob(400);
  await fleet.startAgent('a', { consoleUrls: [urlOf(first), urlOf(second)] });
  await fleet.jobThat(jobId, ({ counters }) => counters.objectsCopied > 50);
  first.setMode('refuse');
  await until('an answer of the second', 20_000, () => (answering().at(-1) === urlOf(second) ? true : null));
  const before = (await windowNumbers()).length;
  await until('two more windows', 20_000, async () => ((await windowNumbers()).length >= before + 2 ? true : null));
  first.setMode('pass');
  second.setMode('refuse');
  // Also when the job has ended by now: an agent without work reports, too.
  await until('an answer of the first again', 20_000, () => (answering().length > 2 ? true : null));
  await fleet.jobThat(jobId, ({ state }) => state === 'completed');
  expect(answering()).toEqual([urlOf(first), urlOf(second), urlOf(first)]);
  const numbers = await windowNumbers();
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  expect(fleet.log.filter(({ msg }) => msg === 'heartbeat not answered')).toEqual([]);
});

test('an agent that knows a console of another group keeps its credential, and waits for its own', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-other-group-'));
  fleet.atTheEnd(() => rm(folder, { recursive: true, force: true }));
  const options = { dataDir: folder, port: 0, adminPassword: 'another password', logLevel: 'silent' } as const;
  const other = await startConsole({ ...options, windowSeconds: 1 }, { endpointProbe });
  fleet.atTheEnd(() => other.stop());
  const consoleUrls = [other.url, urlOf(first)];
  const enrolled = await fleet.startAgent('a', { consoleUrls });
  await enrolled.stop();
  const stateDir = join(fleet.folder, 'state');
  const [file = ''] = await readdir(stateDir);
  const stored = await readFile(join(stateDir, file), 'utf8');
  expect(JSON.parse(stored)).toMatchObject({ consoleUrl: urlOf(first), agentId: enrolled.agentId });

  first.setMode('refuse');
  const again = startAgent({ ...fleet.agentOptions('a'), consoleUrls }, { logger: fleet.logger() });
  const tried = 'heartbeat not answered';
  await until('a heartbeat in vain', 20_000, () => (fleet.log.some(({ msg }) => msg === tried) ? true : null));
  first.setMode('pass');
  const known = await again;
  fleet.agents.push(known);
  expect(known.agentId).toBe(enrolled.agentId);
  expect(await readdir(stateDir)).toEqual([file]);
  expect(await readFile(join(stateDir, file), 'utf8')).toBe(stored);
});
