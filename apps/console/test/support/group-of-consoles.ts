import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres, type PostgresServer } from '@weir/testkit/postgres';
import { startRedis, type RedisServer } from '@weir/testkit/redis';
import type { ConsoleOptionsInput } from '../../src/index.ts';
import { ConsoleKeys } from '../../src/storage/files/console-keys.ts';
import { MANIFEST_KEY_FILE } from '../../src/storage/files/manifest-key-file.ts';
import { SECRETS_FILE } from '../../src/storage/files/secrets-file.ts';
import { HttpConsole } from './running-console.ts';

const REDIS_PASSWORD = 'a-password-of-redis';

/** PostgreSQL, Redis, and a folder with the secrets of a group of consoles. */
export class Group {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly storageUrl: string;
  readonly #dir: string;
  readonly #consoles: HttpConsole[] = [];

  private constructor(postgres: PostgresServer, redis: RedisServer, storageUrl: string, dir: string) {
    this.postgres = postgres;
    this.redis = redis;
    this.storageUrl = storageUrl;
    this.#dir = dir;
  }

  static async start(): Promise<Group> {
    const dir = await mkdtemp(join(tmpdir(), 'weir-group-'));
    const user = `weir on >${REDIS_PASSWORD} ~* &* +@all`;
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis({ config: { user } })]);
    await (await ConsoleKeys.open(join(dir, 'shared'), 'none')).save();
    return new Group(postgres, redis, await postgres.createDatabase('weir'), dir);
  }

  get redisUrl(): string {
    return `redis://weir:${REDIS_PASSWORD}@127.0.0.1:${this.redis.port}`;
  }

  /** The password of neither server may appear anywhere. */
  get passwords(): string[] {
    return [REDIS_PASSWORD, this.postgres.password];
  }

  /** A data directory with the group's secrets in it. */
  async dataDir(name: string): Promise<string> {
    const dir = join(this.#dir, name);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    for (const file of [SECRETS_FILE, MANIFEST_KEY_FILE]) await cp(join(this.#dir, 'shared', file), join(dir, file));
    return dir;
  }

  /** Options of a console of the group. */
  async options(
    name: string,
  ): Promise<Pick<ConsoleOptionsInput, 'dataDir' | 'storageUrl' | 'redisUrl' | 'windowSeconds'>> {
    const { storageUrl, redisUrl } = this;
    return { dataDir: await this.dataDir(name), storageUrl, redisUrl, windowSeconds: 1 };
  }

  /** Starts a console in this process. @param migrations of one of another version */
  async console(
    name: string,
    change: Partial<ConsoleOptionsInput> = {},
    migrations?: readonly string[],
  ): Promise<HttpConsole> {
    const console = await HttpConsole.start({ ...(await this.options(name)), ...change }, undefined, migrations);
    this.#consoles.push(console);
    return console;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#consoles.map((console) => console.stop()));
    await Promise.all([this.redis.stop(), this.postgres.stop()]);
    await rm(this.#dir, { recursive: true, force: true });
  }
}

/** Asks again and again until it holds, and says how long that took, in ms. */
export async function until(
  what: string,
  holds: () => Promise<boolean> | boolean,
  patienceMs = 30_000,
): Promise<number> {
  const fromMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - fromMs > patienceMs) throw new Error(`${what}: not within ${patienceMs} ms`);
    await wait(20);
  }
  return performance.now() - fromMs;
}

/** The console that leads; fails when two do. */
export function leaderOf(consoles: readonly HttpConsole[]): HttpConsole | undefined {
  const leaders = consoles.filter((console) => console.running.seat()?.seat === 'leader');
  if (leaders.length > 1) throw new Error(`${leaders.length} consoles lead`);
  return leaders[0];
}
