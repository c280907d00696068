/*
 * `weir audit` on 1,000,000 keys of which 10,000 are undated and 50,000 of ended periods, in families of ten limiters, on a live
 * server: what is found, how long it takes, and what clients of the server notice of it.
 *
 *   node --conditions=@weir/source --import tsx benchmarks/audit-million.ts [keys] [keys per second]
 *
 * A process of its own sends one INCR every 2 ms all the time and notes how long each takes. The audit is halted every 5 s for
 * 5 s, so that what else the machine does is the same with and without it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startRedis, type RedisServer } from '@weir/testkit/redis';
import { loadRedis } from '../packages/quota-audit/test/support/loading.ts';
import { population } from '../packages/quota-audit/test/support/population.ts';

const PROBE_EVERY_MS = 2;
const TURN_MS = 5_000;

/** After a change of turns so much is not counted, in ms. */
const CHANGE_MS = 200;

const self = fileURLToPath(import.meta.url);
const cli = fileURLToPath(new URL('../apps/cli/src/main.ts', import.meta.url));

function start(file: string, ...args: string[]): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const node = ['--conditions=@weir/source', '--import', 'tsx', file, ...args];
  return spawn(process.execPath, node, { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** The live client: prints its latencies in ms since the last line that it was sent, as JSON, and `ready` at first. */
async function probe(port: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let latencies: number[] = [];
  createInterface({ input: process.stdin }).on('line', () => {
    process.stdout.write(`${JSON.stringify(latencies.map((ms) => Math.round(ms * 1_000) / 1_000))}\n`);
    latencies = [];
  });
  process.stdin.once('end', () => process.exit(0));
  process.stdout.write('ready\n');
  for (let n = 0; ; n += 1) {
    const dueMs = performance.now() + PROBE_EVERY_MS;
    const key = `live:${n % 1_000}`;
    const sentMs = performance.now();
    socket.write(`*2\r\n$4\r\nINCR\r\n$${key.length}\r\n${key}\r\n`);
    await once(socket, 'data');
    latencies.push(performance.now() - sentMs);
    await sleep(Math.max(0, dueMs - performance.now()));
  }
}

function percentile(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2);
}

function describe(label: string, latencies: readonly number[]): void {
  const sorted = [...latencies].sort((a, b) => a - b);
  const [p50, p99, p999] = [0.5, 0.99, 0.999].map((share) => percentile(sorted, share));
  console.log(`${label.padEnd(24)} p50 ${p50} ms  p99 ${p99} ms  p99.9 ${p999} ms  (${sorted.length} INCR)`);
}

/** Runs the command and returns its report; `during` sees the process. */
async function audit(
  server: RedisServer,
  flags: readonly string[],
  during: (child: ChildProcess, isOver: () => boolean) => Promise<void> = () => Promise.resolve(),
): Promise<Record<string, unknown>> {
  const child = start(cli, 'audit', server.url, '--json', ...flags);
  let text = '';
  let isOver = false;
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const closed = once(child, 'close').then(() => {
    isOver = true;
  });
  await during(child, () => isOver);
  await closed;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- printed by our own command
  return JSON.parse(text) as Record<string, unknown>;
}

async function main(total: number, rate: string | undefined): Promise<void> {
  const mix = { total, undated: total / 100, ended: total / 20, others: total * 0.06 };
  const server = await startRedis();
  const folder = await mkdtemp(join(tmpdir(), 'weir-audit-bench-'));
  const prober = start(self, '--probe', String(server.port));
  const lines = createInterface({ input: prober.stdout })[Symbol.asyncIterator]();
  const latencies = async (): Promise<number[]> => {
    prober.stdin?.write('now\n');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- printed by `probe`
    return JSON.parse(String((await lines.next()).value)) as number[];
  };
  try {
    const nowMs = Date.now();
    await loadRedis(server, population(mix, nowMs, 1));
    let endedUndated = 0;
    for (const { truth, lifeMs } of population(mix, nowMs, 1)) {
      if (truth === 'ended' && lifeMs === undefined) endedUndated += 1;
    }
    await lines.next();
    const withAudit: number[] = [];
    const without: number[] = [];
    const startedMs = performance.now();
    const report = await audit(server, rate === undefined ? [] : ['--rate', rate], async (child, isOver) => {
      // The start of Node is not what is measured.
      await sleep(2_000);
      for (let turn = 0; !isOver(); turn += 1) {
        child.kill(turn % 2 === 0 ? 'SIGCONT' : 'SIGSTOP');
        await sleep(CHANGE_MS);
        await latencies();
        await sleep(TURN_MS);
        const taken = await latencies();
        if (!isOver()) (turn % 2 === 0 ? withAudit : without).push(...taken);
      }
    });
    const tookSeconds = (performance.now() - startedMs) / 1_000;
    describe('without the audit', without);
    describe('with the audit', withAudit);
    const running = withAudit.length / (withAudit.length + without.length);
    const keysPerSecond = total / (tookSeconds * running);
    console.log(
      `${tookSeconds.toFixed(0)} s, halted half of the time: about ${keysPerSecond.toFixed(0)} keys/s while running`,
    );
    const { keys, findings, waste, growth, projection } = report;
    console.log(JSON.stringify({ keys, findings, waste, growth, projection }));
    console.log(
      `planted: ${mix.undated + endedUndated} undated, ${mix.ended} ended, ${mix.undated + mix.ended} in all`,
    );
    const fast = ['--rate', '10000000'];
    const fix = ['--fix', 'date', '--yes', '--journal', join(folder, 'journal')];
    const fixed = await audit(server, [...fast, ...fix]);
    console.log('--fix date:', JSON.stringify(fixed['fix']));
    console.log('audit again:', JSON.stringify((await audit(server, fast))['findings']));
  } finally {
    prober.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
    await server.stop();
  }
}

const [first, second] = process.argv.slice(2);
if (first === '--probe') await probe(Number(second));
else await main(Number(first ?? 1_000_000), second);
