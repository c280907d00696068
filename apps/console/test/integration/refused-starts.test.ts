import { createServer, type Server } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startConsole, type ConsoleOptionsInput } from '../../src/index.ts';
import { FakeProbe } from '../support/fake-probe.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-refused-'));
});
afterEach(() => rm(dir, { recursive: true }));

const start = (options: Partial<ConsoleOptionsInput>) =>
  startConsole(
    { dataDir: join(dir, 'data'), port: 0, logLevel: 'silent', ...options },
    { endpointProbe: new FakeProbe() },
  );

/** A port that somebody else listens on. */
async function takenPort(): Promise<{ port: number; server: Server }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, server };
}

test('a first start that finds its port in use makes no account: the next one still tells the password', async () => {
  const { port, server } = await takenPort();
  try {
    await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  } finally {
    server.close();
  }
  const console = await start({});
  try {
    const body = JSON.stringify({ username: 'admin', password: console.initialAdminPassword });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${console.url}/api/v1/session`, { method: 'POST', body, headers });
    expect(answer.status).toBe(200);
  } finally {
    await console.stop();
  }
});

test('a data directory that is a file, or lies below one, is refused with its name', async () => {
  const file = join(dir, 'file');
  await writeFile(file, 'text');
  for (const dataDir of [file, join(file, 'below')]) {
    await expect(start({ dataDir })).rejects.toMatchObject({
      name: 'UnusableDatabase',
      message: expect.stringContaining(`The data directory ${dataDir} cannot be used`),
    });
  }
});

test('TLS files that are missing or hold no certificate are refused as options', async () => {
  const file = join(dir, 'file');
  await writeFile(file, 'text');
  const missing = join(dir, 'missing');
  await expect(start({ tlsCertFile: missing, tlsKeyFile: file })).rejects.toMatchObject({
    problems: [{ field: 'tlsCertFile', value: missing, problem: expect.stringContaining('ENOENT') }],
  });
  await expect(start({ tlsCertFile: file, tlsKeyFile: file })).rejects.toMatchObject({
    problems: [{ field: 'tlsCertFile', value: file, problem: expect.stringContaining('PEM') }],
  });
});
