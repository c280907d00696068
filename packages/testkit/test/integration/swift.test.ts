import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSwift } from '@weir/testkit/s3';
import type { S3TestServer, SwiftServer } from '@weir/testkit/s3';

const run = promisify(execFile);
const OBJECTS = 60;

let plain: SwiftServer;
let limited: SwiftServer;
let dir: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'weir-swift-test-'));
  mkdirSync(join(dir, 'files'));
  for (let index = 0; index < OBJECTS; index += 1) writeFileSync(join(dir, 'files', `f${index}`), `content ${index}`);
  [plain, limited] = await Promise.all([startSwift(), startSwift({ ratelimit: { containerWritesPerSecond: 20 } })]);
});

afterAll(async () => {
  await Promise.all([plain.stop(), limited.stop()]);
  rmSync(dir, { recursive: true, force: true });
});

/** A client that is not ours. */
async function rclone(server: S3TestServer, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const environment = {
    PATH: process.env['PATH'],
    RCLONE_CONFIG: '/dev/null',
    RCLONE_CONFIG_S_TYPE: 's3',
    RCLONE_CONFIG_S_PROVIDER: 'Other',
    RCLONE_CONFIG_S_ENDPOINT: server.url,
    RCLONE_CONFIG_S_ACCESS_KEY_ID: server.accessKeyId,
    RCLONE_CONFIG_S_SECRET_ACCESS_KEY: server.secretAccessKey,
    RCLONE_CONFIG_S_REGION: server.region,
  };
  const once = ['--retries', '1', '--low-level-retries', '1'];
  return run('rclone', [...once, ...args], { env: environment }).catch((error: unknown) => {
    if (error instanceof Error && 'stderr' in error) return { stdout: '', stderr: String(error.stderr) };
    throw error;
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that ended and was not waited for still has its number.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

describe('OpenStack Swift', () => {
  test('two at once keep their objects apart, and give back what another client wrote', async () => {
    expect((await rclone(plain, 'copy', join(dir, 'files'), 's:kept/sub')).stderr).not.toContain('ERROR');
    expect((await rclone(plain, 'check', '--download', join(dir, 'files'), 's:kept/sub')).stderr).toContain(
      '0 differences found',
    );
    expect((await rclone(plain, 'lsf', 's:')).stdout).toBe('kept/\n');
    expect((await rclone(limited, 'lsf', 's:')).stdout).toBe('');
  });

  test('answers 503 SlowDown above the rate that it was started with, and not below', async () => {
    const first = ['--include', 'f0'];
    expect((await rclone(limited, 'copy', ...first, join(dir, 'files'), 's:limited')).stderr).not.toContain('ERROR');
    // Until Swift has seen that the bucket is no longer empty.
    await expect
      .poll(
        async () =>
          (await rclone(limited, 'copy', '--transfers', '32', '--ignore-times', join(dir, 'files'), 's:limited'))
            .stderr,
        {
          timeout: 10_000,
        },
      )
      .toContain('SlowDown');
    const files = ['--include', 'f{1,2,3}'];
    const slow = await rclone(
      limited,
      'copy',
      '--tpslimit',
      '10',
      '--transfers',
      '1',
      ...files,
      join(dir, 'files'),
      's:limited/slowly',
    );
    expect(slow.stderr).not.toContain('ERROR');
  });

  test('ends with its owner, also when that is killed', async () => {
    const script = `const { startSwift } = await import('@weir/testkit/s3');
      console.log(JSON.stringify(await startSwift({ dir: process.argv[1] })));`;
    const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const owner = spawn(
      process.execPath,
      ['--conditions=@weir/source', '--import', loader, '--input-type=module', '-e', script, join(dir, 'owned')],
      { stdio: ['pipe', 'pipe', 'inherit'], cwd: import.meta.dirname },
    );
    const ended = new Promise((resolve) => owner.once('exit', resolve));
    const [line = ''] = await Promise.race([firstLine(owner.stdout), ended.then(() => [])]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- printed by the script above
    const { pids } = JSON.parse(line) as { pids: Record<string, number> };
    expect(Object.keys(pids).toSorted()).toEqual(['account', 'container', 'memcached', 'object', 'proxy']);
    expect(Object.values(pids).filter(isRunning)).toHaveLength(5);
    owner.kill('SIGKILL');
    await ended;
    await expect.poll(() => Object.values(pids).filter(isRunning), { timeout: 5_000 }).toEqual([]);
  });
});

function firstLine(output: NodeJS.ReadableStream): Promise<string[]> {
  return new Promise((resolve) => {
    createInterface({ input: output }).once('line', (line) => resolve([line]));
  });
}
