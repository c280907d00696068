import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { waitUntil } from './fixtures/wait-until.ts';

const entry = fileURLToPath(new URL('../apps/cli/bin/weir.js', import.meta.url));

describe('what the demo started', () => {
  it.each([
    ['ends with Ctrl-C', 'SIGINT'],
    ['ends also when the demo is killed the hard way', 'SIGKILL'],
  ] as const)('%s', async (_, signal) => {
    const args = ['demo', '--port', '0', '--objects', '50', '--window-seconds', '2'];
    const demo = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    demo.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    demo.stderr.resume();
    const url = await waitUntil(
      'the demo runs',
      60_000,
      async () => /http:\/\/127\.0\.0\.1:\d+/.exec(out)?.[0] ?? null,
    );
    expect((await fetch(`${url}/healthz`)).status).toBe(200);

    demo.kill(signal);
    await waitUntil('the demo ended', 15_000, async () => ((demo.exitCode ?? demo.signalCode) === null ? null : true));
    await waitUntil('the console is gone', 20_000, () =>
      fetch(`${url}/healthz`).then(
        () => null,
        () => true,
      ),
    );
  });
});
