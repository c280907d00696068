import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endChild, hasEnded, untilSpawned } from '../child-process.ts';
import { freePorts } from '../network/free-ports.ts';

const run = promisify(execFile);

/** Where Debian keeps what it does not put on the path. */
const DEBIAN_PROGRAMS = '/usr/lib/postgresql/15/bin';
/** From util-linux: asks the kernel to end the server with its parent, also when the parent is killed. */
const SETPRIV = '/usr/bin/setpriv';
const START_TIMEOUT_MS = 30_000;
const START_ATTEMPTS = 5;
const RESTART_ATTEMPTS = 3;
const ORPHANS_MS = 300;
const POLL_MS = 20;
const PASSWORD = 'weir-test-password';

/** A PostgreSQL server of its own, on loopback, that keeps nothing safe from a crash of the machine. */
export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  /** Password of the user `weir`, who owns everything. */
  readonly password: string;
  /** Process id of the server that runs now; 0 while it is down. */
  readonly pid: number;
  /** Address of the database `postgres`. */
  readonly url: string;
  /** Makes an empty database and returns its address. */
  createDatabase(name: string): Promise<string>;
  /** Runs one program of PostgreSQL, such as `psql` or `pg_dump`, as the owner; returns what it printed. */
  program(name: string, ...args: string[]): Promise<string>;
  /** Ends the server with SIGKILL, as a crash does. */
  kill(): Promise<void>;
  /** Ends the server as an administrator does: clients are told to go. */
  shutDown(): Promise<void>;
  /** Starts it again on the same port and data, after `kill`, `shutDown` or instead of them. */
  restart(): Promise<void>;
  /** Stops the server where it stands: connections stay open and nothing answers. */
  freeze(): void;
  /** Lets a frozen server go on. */
  thaw(): void;
  /** Ends the server and removes its folder. Can be called twice. */
  stop(): Promise<void>;
}

interface Owner {
  uid?: number;
  gid?: number;
}

/**
 * Makes a database cluster in the system's temporary folder, starts PostgreSQL 15 on it and waits until it answers.
 * @throws when a program is missing or ends at once; the message holds the end of the server's log.
 */
export async function startPostgres(
  options: { settings?: Readonly<Record<string, string>> } = {},
): Promise<PostgresServer> {
  const owner = await serverUser();
  const folder = await mkdtemp(join(tmpdir(), 'weir-postgres-'));
  await writeFile(join(folder, 'password'), PASSWORD);
  if (owner.uid !== undefined && owner.gid !== undefined) await chown(folder, owner.uid, owner.gid);
  try {
    const cluster = ['-D', join(folder, 'data'), '-U', 'weir', '--pwfile', join(folder, 'password')];
    const format = ['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C', '--no-sync', '--no-instructions'];
    await run(programPath('initdb'), [...cluster, ...format], { ...owner, cwd: '/' });
    for (let attempt = 1; ; attempt += 1) {
      const server = prepare(folder, (await freePorts(1))[0] ?? 0, owner, options.settings ?? {});
      try {
        await server.restart();
        return server;
      } catch (error) {
        // Somebody may have taken the port between looking and listening.
        if (attempt === START_ATTEMPTS) throw error;
      }
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package makes. */
async function serverUser(): Promise<Owner> {
  if (process.getuid?.() !== 0) return {};
  const [, , uid, gid] = /^postgres:([^:]*):(\d+):(\d+):/m.exec(await readFile('/etc/passwd', 'utf8')) ?? [];
  if (uid === undefined || gid === undefined) throw new Error('there is no user postgres: install postgresql-15');
  return { uid: Number(uid), gid: Number(gid) };
}

function programPath(name: string): string {
  const debian = join(DEBIAN_PROGRAMS, name);
  return existsSync(debian) ? debian : name;
}

function prepare(
  folder: string,
  port: number,
  owner: Owner,
  settings: Readonly<Record<string, string>>,
): PostgresServer {
  const data = join(folder, 'data');
  const logFile = join(folder, 'postgres.log');
  const directives = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    // The data is thrown away with the test.
    fsync: 'off',
    ...settings,
  };
  const args = ['-D', data, ...Object.entries(directives).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  let child: ChildProcess | undefined;
  const end = async (signal: 'SIGINT' | 'SIGKILL'): Promise<void> => {
    const ended = child;
    child = undefined;
    if (ended === undefined || hasEnded(ended)) return;
    // A server that is frozen would not hear of its end.
    signalAll(ended, 'SIGCONT');
    ended.kill(signal);
    await endChild(ended, signal === 'SIGKILL' ? 'SIGKILL' : 'SIGTERM');
  };
  const url = (database: string): string => `postgres://weir:${PASSWORD}@127.0.0.1:${port}/${database}`;
  const program = async (name: string, ...words: string[]): Promise<string> => {
    const env = { ...process.env, PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: 'weir', PGPASSWORD: PASSWORD };
    const { stdout } = await run(programPath(name), words, { env, maxBuffer: 64 * 1_048_576 });
    return stdout;
  };
  return {
    host: '127.0.0.1',
    port,
    password: PASSWORD,
    get pid() {
      return child?.pid ?? 0;
    },
    url: url('postgres'),
    createDatabase: async (name) => {
      await program('createdb', name);
      return url(name);
    },
    program,
    kill: () => end('SIGKILL'),
    shutDown: () => end('SIGINT'),
    restart: async () => {
      await end('SIGINT');
      for (let attempt = 1; ; attempt += 1) {
        child = await launch(args, owner, logFile);
        try {
          await answering(child, data, logFile);
          return;
        } catch (error) {
          await end('SIGINT');
          // Children of a server that was killed hold its memory until they notice.
          if (attempt === RESTART_ATTEMPTS) throw error;
          await wait(ORPHANS_MS);
        }
      }
    },
    freeze: () => signalAll(child, 'SIGSTOP'),
    thaw: () => signalAll(child, 'SIGCONT'),
    stop: async () => {
      await end('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Signals the server and its children, which serve the connections. */
function signalAll(child: ChildProcess | undefined, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const { pid } = child ?? {};
  if (pid === undefined) return;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/);
  for (const each of [pid, ...children.map(Number)]) if (each > 0) signalIfThere(each, signal);
}

/** A child may have ended since it was looked for. */
function signalIfThere(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function launch(args: readonly string[], owner: Owner, logFile: string): Promise<ChildProcess> {
  const log = openSync(logFile, 'a');
  const tied = existsSync(SETPRIV);
  const postgres = programPath('postgres');
  const line = tied ? ['--pdeathsig', 'KILL', postgres, ...args] : args;
  const child = spawn(tied ? SETPRIV : postgres, line, { ...owner, cwd: '/', stdio: ['ignore', log, log] });
  closeSync(log);
  await untilSpawned(child);
  return child;
}

/** The server writes its state into a file; what is ready must be ours, not one that held the port before. */
async function answering(child: ChildProcess, data: string, logFile: string): Promise<void> {
  const giveUpMs = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    if (hasEnded(child) || performance.now() > giveUpMs) {
      throw new Error(`postgres did not start:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
    }
    const lines = await readFile(join(data, 'postmaster.pid'), 'utf8').then(
      (text) => text.split('\n'),
      () => [],
    );
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready') return;
    await wait(POLL_MS);
  }
}
