import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROTOCOL_VERSION, type ErrorBody, type JobOptions, type Role } from '@weir/protocol';
import { pino } from 'pino';
import type { AccountOption, Clock, ConsoleOptionsInput, RunningConsole } from '../../src/index.ts';
import { startConsole } from '../../src/index.ts';
import { FakeProbe } from './fake-probe.ts';

export const PASSWORDS: Record<Role, string> = {
  viewer: 'viewer-password-1',
  operator: 'operator-password-1',
  admin: 'admin-password-1',
};

/** Accounts besides `admin`, for tests that need them: each costs a slow hash at the start. */
export const ACCOUNTS: AccountOption[] = (['viewer', 'operator'] as const).map((role) => ({
  username: role,
  role,
  password: PASSWORDS[role],
}));

/** An answer of the console. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every form
  body: any;
}

export interface Sent {
  body?: unknown;
  bearer?: string;
  cookie?: string | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A console that listens on a free port, with its data in a directory of its own, and everything that it ever wrote. */
export class HttpConsole {
  readonly dir: string;
  readonly probe = new FakeProbe();
  /** Log lines, of all levels. */
  readonly logs: string[] = [];
  /** Every body that was answered. */
  readonly answers: string[] = [];
  #running: RunningConsole;
  readonly #migrations: readonly string[] | undefined;

  private constructor(dir: string, running: RunningConsole, migrations: readonly string[] | undefined) {
    this.dir = dir;
    this.#running = running;
    this.#migrations = migrations;
  }

  /** @param migrations of a console of another version, in a group */
  static async start(
    options: Partial<ConsoleOptionsInput> = {},
    clock?: Clock,
    migrations?: readonly string[],
  ): Promise<HttpConsole> {
    const dir = await mkdtemp(join(tmpdir(), 'weir-console-'));
    const started = new HttpConsole(dir, NOT_STARTED, migrations);
    await started.restart(options, clock);
    return started;
  }

  get running(): RunningConsole {
    return this.#running;
  }

  get url(): string {
    return this.#running.url;
  }

  /** Stops the console, if it runs, and starts it again on the same data. */
  async restart(options: Partial<ConsoleOptionsInput> = {}, clock?: Clock): Promise<void> {
    await this.#running.stop();
    const logger = pino({ level: 'trace' }, { write: (line: string) => void this.logs.push(line) });
    this.#running = await startConsole(
      { dataDir: join(this.dir, 'data'), port: 0, adminPassword: PASSWORDS.admin, ...options },
      {
        endpointProbe: this.probe,
        logger,
        ...(clock === undefined ? {} : { clock }),
        ...(this.#migrations === undefined ? {} : { migrations: this.#migrations }),
      },
    );
  }

  async stop(): Promise<void> {
    await this.#running.stop();
    await rm(this.dir, { recursive: true });
  }

  async call(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(sent.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(sent.bearer === undefined ? {} : { authorization: `Bearer ${sent.bearer}` }),
        ...(sent.cookie === undefined ? {} : { cookie: sent.cookie }),
        ...sent.headers,
      },
      ...(sent.body === undefined
        ? {}
        : { body: typeof sent.body === 'string' ? sent.body : JSON.stringify(sent.body) }),
      ...(sent.signal === undefined ? {} : { signal: sent.signal }),
      redirect: 'manual',
    });
    const text = await response.text();
    this.answers.push(text);
    const json = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined };
  }

  /** Logs in and returns the cookie to send. */
  async login(role: Role = 'admin'): Promise<string> {
    const answer = await this.call('POST', '/api/v1/session', { body: { username: role, password: PASSWORDS[role] } });
    if (answer.status !== 200) throw new Error(answer.text);
    return cookieOf(answer);
  }

  /** Enrols an agent and returns its credential. */
  async enrol(name = 'agent'): Promise<{ agentId: string; credential: string }> {
    const body = { name, host: 'host', version: '1', protocolVersion: PROTOCOL_VERSION };
    const answer = await this.call('POST', '/api/v1/agent/enrol', { bearer: this.#running.enrolmentToken, body });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body;
  }

  /** Saves the two endpoints of the probe and queues a job between them. */
  async job(cookie: string, name = 'job', options: Partial<JobOptions> = {}): Promise<string> {
    const known = (await this.call('GET', '/api/v1/endpoints', { cookie })).body.endpoints;
    const ids = known.length > 0 ? known.map((endpoint: { endpointId: string }) => endpoint.endpointId) : [];
    if (ids.length === 0) {
      for (const [side, port, key] of [
        ['a-source', 9001, 'src'],
        ['b-target', 9002, 'dst'],
      ] as const) {
        const body = {
          name: side,
          url: `http://127.0.0.1:${port}`,
          accessKeyId: key,
          secretAccessKey: `${key}-secret`,
        };
        ids.push((await this.call('POST', '/api/v1/endpoints', { cookie, body })).body.endpointId);
      }
    }
    const body = {
      name,
      source: { endpointId: ids[0], bucket: 'photos' },
      target: { endpointId: ids[1], bucket: 'archive' },
      options,
    };
    const answer = await this.call('POST', '/api/v1/jobs', { cookie, body });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.jobId;
  }
}

const NOT_STARTED: RunningConsole = {
  url: '',
  enrolmentToken: '',
  metricsToken: '',
  initialAdminPassword: null,
  seat: () => null,
  stop: async () => undefined,
};

/** The cookie that an answer set, as it is to be sent back. */
export function cookieOf(answer: Answer): string {
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** Code of a refusal. */
export function codeOf(answer: Answer): string | undefined {
  const body: ErrorBody | undefined = answer.body;
  return body?.error.code;
}

/** A heartbeat of an idle agent, changed as needed. */
export function heartbeat(change: object = {}): object {
  const who = { protocolVersion: PROTOCOL_VERSION, version: '1', host: 'host', bootId: 'boot-1', limiter: true };
  return { ...who, runningJobs: 0, usage: null, holdoff: null, ...change };
}
