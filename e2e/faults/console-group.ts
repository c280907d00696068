import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient, withSessionCookies } from '@weir/client';
import type { RedisServer } from '@weir/testkit/redis';
import { type Child, startChild } from '../../apps/cli/src/demo/child.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const PASSWORD = 'faults-admin-password';
/** What every console of a group has alike. */
const SHARED_FILES = ['secrets.json', 'manifest-key.pem'];
/** A console that does not answer within this is asked no longer, in ms. */
const ASK_MS = 2_000;

export interface GroupOptions {
  consoles: number;
  folder: string;
  storageUrl: string;
  redis: RedisServer;
  windowSeconds: number;
}

interface Member {
  readonly folder: string;
  readonly url: string;
  readonly admin: Client;
  child: Child | null;
}

/** Consoles on loopback, each in a process of its own, that share Redis and PostgreSQL. */
export class ConsoleGroup {
  readonly #options: GroupOptions;
  readonly #members: Member[] = [];
  #token = '';

  private constructor(options: GroupOptions) {
    this.#options = options;
  }

  static async start(options: GroupOptions): Promise<ConsoleGroup> {
    const group = new ConsoleGroup(options);
    for (let n = 0; n < options.consoles; n += 1) await group.#add(n);
    await group.untilAnswers(30_000);
    group.#token = (await group.call((admin) => admin.call('enrolment'))).token;
    return group;
  }

  get urls(): string[] {
    return this.#members.map(({ url }) => url);
  }

  /** What agents enrol with. */
  get enrolmentToken(): string {
    return this.#token;
  }

  /** Process ids of the consoles that run. */
  get pids(): number[] {
    return this.#members.flatMap(({ child }) => (child === null ? [] : [child.pid]));
  }

  /** Number of the console that holds the lease, as Redis has it; null: none. */
  async leader(): Promise<number | null> {
    const { redis } = this.#options;
    const keys = await redis.command('KEYS', 'weir:*');
    for (const key of Array.isArray(keys) ? keys : []) {
      const value = await redis.command('GET', String(key)).catch(() => null);
      const url = /"url":"([^"]+)"/.exec(String(value))?.[1];
      const index = this.#members.findIndex((member) => member.url === url && member.child !== null);
      if (index >= 0) return index;
    }
    return null;
  }

  /** Kills a console the hard way. */
  async kill(index: number): Promise<void> {
    const member = this.#member(index);
    await member.child?.kill();
    member.child = null;
  }

  /** Starts a console that was killed, on the same data and port. */
  async restart(index: number): Promise<void> {
    const member = this.#member(index);
    member.child ??= await this.#start(member.folder, Number(new URL(member.url).port));
  }

  /** Asks consoles in turn until one has answered, itself or by the leader. @throws the last refusal, after all were asked */
  async call<T>(ask: (admin: Client) => Promise<T>): Promise<T> {
    let refusal: unknown = new Error('no console runs');
    for (const { admin, child } of this.#members) {
      if (child === null) continue;
      try {
        return await ask(admin);
      } catch (error) {
        refusal = error;
      }
    }
    throw refusal;
  }

  /** Repeats `call` until it succeeds. */
  async insist<T>(what: string, timeoutMs: number, ask: (admin: Client) => Promise<T>): Promise<T> {
    return waitUntil(what, timeoutMs, () => this.call(ask).catch(() => null));
  }

  /** Waits until somebody leads and answers. @returns how long that took, in ms */
  async untilAnswers(timeoutMs: number): Promise<number> {
    const from = performance.now();
    for (;;) {
      const answered = await this.call((admin) => admin.call('agents', { timeoutMs: ASK_MS })).then(
        () => true,
        () => false,
      );
      const tookMs = performance.now() - from;
      if (answered) return tookMs;
      if (tookMs > timeoutMs) throw new Error(`no console answered within ${timeoutMs} ms`);
      await sleep(25);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#members.map(async ({ child }) => child?.stop()));
  }

  async #add(n: number): Promise<void> {
    const folder = join(this.#options.folder, `console-${n}`);
    await mkdir(folder, { recursive: true });
    const first = this.#members[0];
    if (first !== undefined) {
      for (const file of SHARED_FILES) await copyFile(join(first.folder, file), join(folder, file));
    }
    const child = await this.#start(folder, 0);
    const url = String(child.ready['url']);
    const admin = createClient({ baseUrl: url, fetch: withSessionCookies(), timeoutMs: 10_000 });
    this.#members.push({ folder, url, admin, child });
    await waitUntil('a login is answered', 30_000, () =>
      admin.call('login', { body: { username: 'admin', password: PASSWORD } }).catch(() => null),
    );
  }

  #start(folder: string, port: number): Promise<Child> {
    const { redis, storageUrl, windowSeconds } = this.#options;
    const args = ['console', '--json', '--data-dir', folder, '--port', String(port), '--redis', redis.url];
    return startChild([...args, '--window-seconds', String(windowSeconds)], {
      WEIR_STORAGE_URL: storageUrl,
      WEIR_ADMIN_PASSWORD: PASSWORD,
    });
  }

  #member(index: number): Member {
    const member = this.#members[index];
    if (member === undefined) throw new RangeError(`there is no console ${index}`);
    return member;
  }
}
