import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@weir/testkit/network';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConsoleOptionsInput } from '../../src/index.ts';
import { Group, until } from '../support/group-of-consoles.ts';

const SCRIPT = fileURLToPath(new URL('../support/group-member.ts', import.meta.url));

let group: Group;
let dir: string;
let child: ChildProcessByStdio<null, Readable, null> | undefined;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'weir-tls-'));
  group = await Group.start();
});
afterAll(async () => {
  child?.kill('SIGKILL');
  await group.stop();
  await rm(dir, { recursive: true });
});

const inDir = (name: string): string => join(dir, name);

const tls = (name: string) => ({ tlsCertFile: inDir(`${name}.pem`), tlsKeyFile: inDir(`${name}.key`) });

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore', cwd: dir });
}

/** An authority of one's own, and a certificate of it for a name. */
async function certify(name: string, subject: string): Promise<void> {
  openssl(
    'req',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    `/CN=${name}`,
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.csr`,
  );
  await writeFile(inDir(`${name}.ext`), `subjectAltName=${subject}\n`);
  const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', `${name}.ext`];
  openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-out', `${name}.pem`);
}

/** Starts a console as a process, since Node reads authorities when it starts. @returns its address */
async function startTrusting(name: string, change: Partial<ConsoleOptionsInput>): Promise<string> {
  const options = { ...(await group.options(name)), port: 0, logLevel: 'silent', ...change };
  const run = ['--import', 'tsx', '--conditions=@weir/source', SCRIPT, JSON.stringify(options)];
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: inDir('ca.pem') };
  child = spawn(process.execPath, run, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'], env });
  for await (const line of createInterface(child.stdout)) return JSON.parse(line).url;
  throw new Error(`${name} ended before it answered`);
}

async function ask(url: string, path: string): Promise<{ status: number; body: string }> {
  const ca = await readFile(inDir('ca.pem'));
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { ca, servername: 'localhost' }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('a standby passes requests on over TLS to a leader of a private authority that it was told of, and to no other', async () => {
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=ours',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  );
  await certify('leader', 'DNS:localhost');
  await certify('standby', 'DNS:localhost,IP:127.0.0.1');
  const port = (await freePorts(1))[0] ?? 0;
  // Its certificate names this host, and not the address at which it listens.
  const advertiseUrl = `https://localhost:${port}`;
  const { url: leader } = await group.console('leader', { ...tls('leader'), port, advertiseUrl });
  await until('it leads', async () => (await ask(leader, '/healthz')).body.includes('"seat":"leader"'));
  const { url: strange } = await group.console('strange', tls('standby'));
  const trusting = await startTrusting('trusting', tls('standby'));
  for (const standby of [trusting, strange]) {
    const health = JSON.parse((await ask(standby, '/healthz')).body);
    expect(health.group).toMatchObject({ seat: 'standby', leaderUrl: advertiseUrl });
  }
  for (let n = 0; n < 3; n += 1) {
    expect(await ask(trusting, '/api/v1/info')).toEqual(await ask(leader, '/api/v1/info'));
    const refused = await ask(strange, '/api/v1/info');
    expect(refused.status).toBe(503);
    expect(refused.body).toMatch(/no-leader.*does not answer \(.*(certificate|self-signed)/);
  }
});
