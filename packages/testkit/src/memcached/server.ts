import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { endChild, hasEnded, untilSpawned } from '../child-process.ts';
import { freePorts } from '../network/free-ports.ts';
import { memcachedEntries, memcachedExchange } from './admin.ts';
import type { MemcachedEntry } from './admin.ts';

const START_TIMEOUT_MS = 15_000;
const START_ATTEMPTS = 5;
const POLL_MS = 15;
const KEPT_LOG_CHARACTERS = 4_000;

/** A memcached process of its own, on loopback. */
export interface MemcachedServer {
  readonly host: string;
  readonly port: number;
  /** `127.0.0.1:<port>`. */
  readonly address: string;
  /** Process id of the process that runs now; 0 while it is down. */
  readonly pid: number;
  /** Sends whole text-protocol lines on a connection of its own and returns their replies as one latin1 text. */
  exchange(request: string): Promise<string>;
  /** Every entry with its deadline. */
  entries(): Promise<MemcachedEntry[]>;
  /** Ends the process with SIGKILL, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again, empty, on the same port, after `kill` or instead of it. */
  restart(): Promise<void>;
  /** Ends the process. Can be called twice. */
  stop(): Promise<void>;
}

export interface MemcachedServerOptions {
  /** Default: a free port. */
  readonly port?: number;
  /** Memory for entries in MiB, default 64. The server takes whole pages of 1 MiB per slab class. */
  readonly memoryMegabytes?: number;
  /** Further flags: `['-M']` refuses writes when full, `['-C']` has no compare-and-swap, `['-X']` no dumps. */
  readonly flags?: readonly string[];
}

/**
 * Starts a memcached and waits until it answers.
 * @throws when the program is missing or ends at once; the message holds what it printed.
 */
export async function startMemcached(options: MemcachedServerOptions = {}): Promise<MemcachedServer> {
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePorts(1))[0] ?? 0;
    const server = prepare(port, options);
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

function prepare(port: number, options: MemcachedServerOptions): MemcachedServer {
  const args = ['-l', '127.0.0.1', '-p', String(port), '-U', '0', '-m', String(options.memoryMegabytes ?? 64)];
  // As root memcached wants to be told whom to become; tests gain nothing from another user.
  if (process.getuid?.() === 0) args.push('-u', 'root');
  args.push(...(options.flags ?? []));
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    await endChild(child, 'SIGKILL');
    child = undefined;
  };
  return {
    host: '127.0.0.1',
    port,
    address: `127.0.0.1:${port}`,
    get pid() {
      return child?.pid ?? 0;
    },
    exchange: (request) => memcachedExchange(port, request),
    entries: () => memcachedEntries(port),
    kill,
    restart: async () => {
      await kill();
      const log = { text: '' };
      child = await launch(args, log);
      await answering(child, port, log);
    },
    stop: async () => {
      await endChild(child, 'SIGTERM');
      child = undefined;
    },
  };
}

async function launch(args: readonly string[], log: { text: string }): Promise<ChildProcess> {
  const child = spawn('memcached', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      log.text = (log.text + chunk.toString()).slice(-KEPT_LOG_CHARACTERS);
    });
  }
  await untilSpawned(child);
  return child;
}

async function answering(child: ChildProcess, port: number, log: { text: string }): Promise<void> {
  const giveUpMs = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    if (hasEnded(child) || performance.now() > giveUpMs) {
      throw new Error(`memcached did not start on port ${port}: ${log.text || 'it printed nothing'}`);
    }
    try {
      // The process that answers must be ours, not one that held the port before.
      const stats = await memcachedExchange(port, 'stats\r\n');
      if (stats.includes(`STAT pid ${child.pid}\r\n`)) return;
    } catch {
      // Not listening yet.
    }
    await wait(POLL_MS);
  }
}
