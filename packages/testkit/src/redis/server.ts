import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { endChild, hasEnded, untilSpawned } from '../child-process.ts';
import { freePorts } from '../network/free-ports.ts';
import { redisCommand } from './admin.ts';
import type { RespValue } from './resp.ts';

const START_TIMEOUT_MS = 15_000;
const START_ATTEMPTS = 5;
const POLL_MS = 15;

/** A redis-server process of its own, on loopback, without persistence unless the options ask for it. */
export interface RedisServer {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** Folder of its files, in the system's temporary folder; removed by `stop`. */
  readonly folder: string;
  /** Process id of the process that runs now; 0 while it is down. */
  readonly pid: number;
  /** Runs one command on a connection of its own. */
  command(...args: string[]): Promise<RespValue>;
  /** Ends the process with SIGKILL, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder, after `kill` or instead of it. */
  restart(): Promise<void>;
  /** Ends the process and removes its folder. Can be called twice. */
  stop(): Promise<void>;
}

export interface RedisServerOptions {
  /** Default: a free port. */
  readonly port?: number;
  /** Directives of redis.conf: `{ 'maxmemory-policy': 'allkeys-lru' }`. */
  readonly config?: Readonly<Record<string, string>>;
  /** Runs as a Sentinel; `config` is then a Sentinel's. */
  readonly sentinel?: boolean;
}

/**
 * Starts a redis-server and waits until it answers.
 * @throws when the program is missing or ends at once; the message holds the end of its log.
 */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePorts(1))[0] ?? 0;
    const server = await prepare(port, options);
    try {
      await server.restart();
      return server;
    } catch (error) {
      await server.stop();
      // Somebody may have taken the port between looking and listening.
      if (options.port !== undefined || attempt === START_ATTEMPTS) throw error;
    }
  }
}

async function prepare(port: number, options: RedisServerOptions): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-redis-'));
  const configFile = join(folder, 'redis.conf');
  const directives: Record<string, string> = { port: String(port), bind: '127.0.0.1', dir: folder };
  if (options.sentinel !== true) Object.assign(directives, { save: '""', appendonly: 'no' });
  Object.assign(directives, options.config);
  // A Sentinel rewrites its file, so it is written once and not with each start.
  const lines = Object.entries(directives).map(([name, value]) => `${name} ${value}\n`);
  await writeFile(configFile, lines.join(''));
  const args = options.sentinel === true ? [configFile, '--sentinel'] : [configFile];
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    await endChild(child, 'SIGKILL');
    child = undefined;
  };
  return {
    host: '127.0.0.1',
    port,
    url: `redis://127.0.0.1:${port}`,
    folder,
    get pid() {
      return child?.pid ?? 0;
    },
    command: (...words) => redisCommand(port, ...words),
    kill,
    restart: async () => {
      await kill();
      child = await launch(args, join(folder, 'redis.log'));
      await answering(child, port, join(folder, 'redis.log'));
    },
    stop: async () => {
      await endChild(child, 'SIGTERM');
      child = undefined;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function launch(args: readonly string[], logFile: string): Promise<ChildProcess> {
  const log = openSync(logFile, 'a');
  const child = spawn('redis-server', args, { stdio: ['ignore', log, log] });
  closeSync(log);
  await untilSpawned(child);
  return child;
}

async function answering(child: ChildProcess, port: number, logFile: string): Promise<void> {
  const giveUpMs = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    if (hasEnded(child) || performance.now() > giveUpMs) {
      throw new Error(`redis-server did not start on port ${port}:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
    }
    try {
      // The process that answers must be ours, not one that held the port before.
      const info = String(await redisCommand(port, 'INFO'));
      if (info.includes(`process_id:${child.pid}`) && !info.includes('loading:1')) return;
    } catch {
      // Not listening yet.
    }
    await wait(POLL_MS);
  }
}
