import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startDaemon } from './daemon.ts';
import type { Daemon } from './daemon.ts';
import type { S3TestServer } from './fauxqs.ts';
import { freePorts } from '../network/free-ports.ts';
import { missingPackages, requirePackages } from './installed-programs.ts';
import { cephConfig, cephKeyring, monitorAddresses } from './rgw-config.ts';
import type { RgwCluster } from './rgw-config.ts';
import { untilAnswers } from './until-answers.ts';

const run = promisify(execFile);

/** Which Debian package brings which program. */
const PACKAGES: Record<string, string> = {
  radosgw: 'radosgw',
  'radosgw-admin': 'radosgw',
  'ceph-mon': 'ceph-mon',
  'ceph-osd': 'ceph-osd',
  ceph: 'ceph-common',
  monmaptool: 'ceph-common',
};

const START_TIMEOUT_MS = 120_000;

export interface RgwOptions {
  /** Folder for the cluster's data; default a new one below the temporary folder, removed by `stop()`. */
  dir?: string;
  /** Port of the S3 service; default a free one. */
  port?: number;
  /** More requests than this at once are refused with 503 SlowDown. Default 1,024. */
  maxConcurrentRequests?: number;
  /** Size of the store in memory, in bytes. Default 4 GiB. */
  memoryBytes?: number;
}

/** A Ceph object gateway with one monitor and one object store in memory. */
export interface RgwServer extends S3TestServer {
  readonly dir: string;
  /** Process ids of the daemons, by name. */
  readonly pids: Readonly<Record<string, number>>;
  /** A further user with buckets of its own. */
  createUser(name: string): Promise<{ accessKeyId: string; secretAccessKey: string }>;
}

/**
 * Starts a real Ceph RADOS gateway on loopback, without root and without systemd.
 * @throws Error naming the Debian packages to install when programs are missing, or the log to read when a daemon ends.
 */
export async function startRgw(options: RgwOptions = {}): Promise<RgwServer> {
  requirePackages('Ceph RGW', PACKAGES);
  const ownsDir = options.dir === undefined;
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'weir-rgw-'));
  const daemons: Daemon[] = [];
  const stop = async (): Promise<void> => {
    // Gateway first: it would wait for a store that is gone.
    for (const daemon of daemons.toReversed()) await daemon.stop();
    if (ownsDir) rmSync(dir, { recursive: true, force: true });
  };
  try {
    const cluster = await layOut(dir, options);
    await startCluster(cluster, daemons);
    const credentials = { accessKeyId: 'rgwkey', secretAccessKey: 'rgwsecret' };
    await createUser(cluster, 'tester', credentials);
    return {
      url: `http://127.0.0.1:${cluster.port}`,
      port: cluster.port,
      region: 'us-east-1',
      ...credentials,
      dir,
      pids: Object.fromEntries(daemons.map((daemon) => [daemon.name, daemon.pid])),
      createUser: async (name) => {
        const access = { accessKeyId: `key-${name}`, secretAccessKey: randomBytes(20).toString('hex') };
        await createUser(cluster, name, access);
        return access;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Whether everything that `startRgw` needs is installed, and if not, what to install. */
export function missingRgwPackages(): string[] {
  return missingPackages(PACKAGES);
}

async function layOut(dir: string, options: RgwOptions): Promise<RgwCluster> {
  const [port = 0, monitorPort = 0, monitorLegacyPort = 0] = await freePorts(3);
  const cluster: RgwCluster = {
    dir,
    fsid: randomUUID(),
    port: options.port ?? port,
    monitorPort,
    monitorLegacyPort,
    maxConcurrentRequests: options.maxConcurrentRequests ?? 1024,
    memoryBytes: options.memoryBytes ?? 4 * 1024 ** 3,
  };
  for (const folder of ['mon', 'osd', 'run', 'log']) mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, 'ceph.conf'), cephConfig(cluster));
  writeFileSync(join(dir, 'keyring'), cephKeyring(), { mode: 0o600 });
  return cluster;
}

async function startCluster(cluster: RgwCluster, daemons: Daemon[]): Promise<void> {
  const { dir } = cluster;
  const config = join(dir, 'ceph.conf');
  const keyring = join(dir, 'keyring');
  const monitorMap = join(dir, 'monmap');
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  const launch = async (name: string, program: string, args: string[]): Promise<Daemon> => {
    const daemon = await startDaemon(
      name,
      program,
      [...args, '-c', config, '--foreground'],
      join(dir, 'log', `${name}.out`),
    );
    daemons.push(daemon);
    const pids = Object.fromEntries(daemons.map((each) => [each.name, each.pid]));
    writeFileSync(join(dir, 'pids.json'), JSON.stringify(pids));
    return daemon;
  };

  await run('monmaptool', ['--create', '--fsid', cluster.fsid, '--addv', 'a', monitorAddresses(cluster), monitorMap]);
  await run('ceph-mon', ['--mkfs', '-i', 'a', '-c', config, '--monmap', monitorMap, '--keyring', keyring]);
  await launch('mon', 'ceph-mon', ['-i', 'a']);
  const osdId = randomUUID();
  await run('ceph', ['-c', config, '--connect-timeout', '30', 'osd', 'new', osdId]);
  await run('ceph-osd', ['-i', '0', '-c', config, '--mkfs', '--osd-uuid', osdId]);
  await launch('osd', 'ceph-osd', ['-i', '0']);
  const gateway = await launch('rgw', 'radosgw', ['-n', 'client.rgw']);
  await untilAnswers(gateway, { port: cluster.port, path: '/', deadlineMs, logFolder: join(dir, 'log') });
}

async function createUser(
  cluster: RgwCluster,
  name: string,
  access: { accessKeyId: string; secretAccessKey: string },
): Promise<void> {
  const identity = ['-c', join(cluster.dir, 'ceph.conf'), '-n', 'client.rgw'];
  const keys = [`--access-key=${access.accessKeyId}`, `--secret-key=${access.secretAccessKey}`];
  await run('radosgw-admin', [...identity, 'user', 'create', `--uid=${name}`, `--display-name=${name}`, ...keys]);
}
