import { ApiError, NetworkError, type Client } from '@weir/client';
import type { MonitorView } from '@weir/protocol';
import { CommandError } from '../output/command-error.ts';

/** The monitor at one moment. */
export interface MonitorReading {
  view: MonitorView;
  latencyMs: number;
}

/** Reads the monitor with a login that it makes, renews when it ends, and gives back. */
export class MonitorReader {
  readonly #client: Client;
  readonly #credentials: { username: string; password: string };
  readonly #now: () => number;

  constructor(client: Client, credentials: { username: string; password: string }, now: () => number) {
    this.#client = client;
    this.#credentials = credentials;
    this.#now = now;
  }

  /** @throws CommandError for refused credentials or a console that cannot be reached */
  async logIn(): Promise<void> {
    try {
      await this.#client.call('login', { body: this.#credentials });
    } catch (error) {
      throw loginProblem(error, this.#credentials.username);
    }
  }

  /** @throws NetworkError, ApiError; CommandError when the login has ended and cannot be renewed */
  async read(): Promise<MonitorReading> {
    const startedAt = this.#now();
    try {
      return { view: await this.#client.call('monitor'), latencyMs: Math.round(this.#now() - startedAt) };
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'unauthenticated')) throw error;
      await this.logIn();
      return { view: await this.#client.call('monitor'), latencyMs: Math.round(this.#now() - startedAt) };
    }
  }

  /** Ends the session; a console that is gone has ended it itself. */
  async logOut(): Promise<void> {
    await this.#client.call('logout', { timeoutMs: 2_000 }).catch(() => undefined);
  }
}

function loginProblem(error: unknown, username: string): unknown {
  if (error instanceof NetworkError) {
    return new CommandError('console-unreachable', error.message, {
      remedy: 'Check --console and that the console runs.',
      cause: error,
    });
  }
  if (!(error instanceof ApiError)) return error;
  const remedy =
    error.code === 'too-many-requests'
      ? 'Wait a minute: the console slows down logins after wrong passwords.'
      : 'Check --user and the password.';
  return new CommandError(error.code, `the console refused the login of ${username}: ${error.message}`, {
    remedy,
    cause: error,
  });
}
