import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startDaemon } from './daemon.ts';
import type { Daemon } from './daemon.ts';
import type { S3TestServer } from './fauxqs.ts';
import { freePorts } from '../network/free-ports.ts';
import { missingPackages, requirePackages } from './installed-programs.ts';
import { proxyConfig, storageConfig, SWIFT_STORAGE, swiftConfig } from './swift-config.ts';
import type { SwiftNode, SwiftRateLimit } from './swift-config.ts';
import { untilAnswers } from './until-answers.ts';

const run = promisify(execFile);

/** Which Debian package brings which program. */
const PACKAGES: Record<string, string> = {
  'swift-proxy-server': 'swift-proxy',
  'swift-account-server': 'swift-account',
  'swift-container-server': 'swift-container',
  'swift-object-server': 'swift-object',
  memcached: 'memcached',
};

/** Debian's own: one that a version manager put on the PATH does not have Swift's modules. */
const PYTHON = '/usr/bin/python3';

/**
 * Swift reads /etc/swift/swift.conf whatever it is told. The name is a variable of a module, read when a server starts,
 * so it is set before the server's own program runs: any number of Swifts can run, and none needs to write to /etc.
 */
const RUN_WITH_CONFIG = `
import runpy, sys
import swift.common.utils
swift.common.utils.SWIFT_CONF_FILE = sys.argv[1]
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name='__main__')
`;

/** One ring for each kind of storage, all with the one device; four runs of swift-ring-builder each would take seconds. */
const BUILD_RINGS = `
import sys
import swift.common.utils
swift.common.utils.SWIFT_CONF_FILE = sys.argv[1] + '/swift.conf'
from swift.common.ring import RingBuilder
for pair in sys.argv[2:]:
    storage, port = pair.split('=')
    rings = RingBuilder(4, 1, 1)
    rings.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': int(port), 'device': 'disk', 'weight': 1,
                   'replication_ip': '127.0.0.1', 'replication_port': int(port)})
    rings.rebalance()
    rings.get_ring().save(sys.argv[1] + '/' + storage + '.ring.gz')
`;

const START_TIMEOUT_MS = 60_000;

export interface SwiftOptions {
  /** Folder for configuration and data, on a file system with extended attributes; default a new one, removed by `stop()`. */
  dir?: string;
  /** Port of the S3 service; default a free one. */
  port?: number;
  /** Answers 503 SlowDown above these rates. Default: no limits. */
  ratelimit?: SwiftRateLimit;
}

/** An OpenStack Swift with one storage device, spoken to by its S3 interface. It knows no object tags. */
export interface SwiftServer extends S3TestServer {
  readonly dir: string;
  /** Process ids of the daemons, by name. */
  readonly pids: Readonly<Record<string, number>>;
}

/**
 * Starts a real OpenStack Swift on loopback, without root, systemd or Keystone, in about 4 s. Any number can run at
 * once. Objects are files in `dir`.
 * @throws Error naming the Debian packages to install when programs are missing, or the log to read when a daemon ends.
 */
export async function startSwift(options: SwiftOptions = {}): Promise<SwiftServer> {
  requirePackages('OpenStack Swift', PACKAGES);
  const ownsDir = options.dir === undefined;
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'weir-swift-'));
  const daemons: Daemon[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    if (ownsDir) rmSync(dir, { recursive: true, force: true });
  };
  try {
    const node = await layOut(dir, options);
    await startServers(node, daemons);
    return {
      url: `http://127.0.0.1:${node.port}`,
      port: node.port,
      region: 'us-east-1',
      accessKeyId: node.accessKeyId,
      secretAccessKey: node.secretAccessKey,
      dir,
      pids: Object.fromEntries(daemons.map((daemon) => [daemon.name, daemon.pid])),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What to install before `startSwift` can work; empty when everything is there. */
export function missingSwiftPackages(): string[] {
  return missingPackages(PACKAGES);
}

async function layOut(dir: string, options: SwiftOptions): Promise<SwiftNode> {
  const [port = 0, memcachedPort = 0, account = 0, container = 0, object = 0] = await freePorts(5);
  const node: SwiftNode = {
    dir,
    user: userInfo().username,
    port: options.port ?? port,
    memcachedPort,
    storagePorts: { account, container, object },
    accessKeyId: 'test:tester',
    secretAccessKey: 'testing',
    ratelimit: options.ratelimit ?? null,
  };
  for (const folder of ['devices/disk', 'cache', 'log']) mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, 'swift.conf'), swiftConfig(randomBytes(8).toString('hex')));
  writeFileSync(join(dir, 'proxy-server.conf'), proxyConfig(node));
  for (const storage of SWIFT_STORAGE) {
    writeFileSync(join(dir, `${storage}-server.conf`), storageConfig(node, storage));
  }
  const ports = SWIFT_STORAGE.map((storage) => `${storage}=${node.storagePorts[storage]}`);
  await run(PYTHON, ['-c', BUILD_RINGS, dir, ...ports]);
  return node;
}

async function startServers(node: SwiftNode, daemons: Daemon[]): Promise<void> {
  const { dir } = node;
  const logFolder = join(dir, 'log');
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  const launch = async (name: string, command: string, args: string[]): Promise<Daemon> => {
    const daemon = await startDaemon(name, command, args, join(logFolder, `${name}.log`));
    daemons.push(daemon);
    return daemon;
  };
  const memcached = ['-l', '127.0.0.1', '-p', String(node.memcachedPort), '-U', '0', '-u', node.user];
  await launch('memcached', 'memcached', memcached);
  const ports = { ...node.storagePorts, proxy: node.port };
  await Promise.all(
    ([...SWIFT_STORAGE, 'proxy'] as const).map(async (name) => {
      const program = `/usr/bin/swift-${name}-server`;
      const config = join(dir, `${name}-server.conf`);
      const daemon = await launch(name, PYTHON, ['-c', RUN_WITH_CONFIG, join(dir, 'swift.conf'), program, config]);
      await untilAnswers(daemon, { port: ports[name], path: '/healthcheck', deadlineMs, logFolder });
    }),
  );
}
