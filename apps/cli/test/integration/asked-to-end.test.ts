import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-asked-'));
});
afterEach(() => rm(dir, { recursive: true }));

const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const main = fileURLToPath(new URL('stuck-main.ts', import.meta.url));

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a process with a thread that never comes back is asked to end by one %s, and ends at once by the second',
  async (signal) => {
    const pipe = join(dir, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const child = spawn(process.execPath, ['--import', loader, main, pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.setEncoding('utf8');
    expect(await once(child.stdout, 'data')).toEqual(['ready\n']);
    child.kill(signal);
    expect(await once(child.stdout, 'data')).toEqual(['asked\n']);
    child.kill(signal);
    expect(await once(child, 'exit', { signal: AbortSignal.timeout(5_000) })).toEqual([null, 'SIGKILL']);
  },
);
