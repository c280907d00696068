import { createClient } from 'redis';
import type { Logger } from '../ports/logger.ts';

/** How long a connection may take to be made, and a command to be answered, in ms. */
const CONNECT_MS = 1_000;
const ANSWER_MS = 1_000;
/** How long the start waits for the first connection before it goes on without, in ms. */
const FIRST_CONNECTION_MS = 2_000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
const CLIENT_NAME = 'weir-console';

/** What Redis says to somebody it does not know: trying again does not help. */
const REFUSED =
  /^(WRONGPASS|NOAUTH|NOPERM|ERR invalid password|ERR AUTH|ERR Client sent AUTH|ERR invalid DB|ERR DB index)/i;

/** How a client sends a command; what node-redis knows besides is passed on. */
interface Sender {
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  sendCommand(args: readonly string[], options?: object): Promise<unknown>;
  destroy(): void;
}

/** One connection to the Redis of a group of consoles. Has the form of a node-redis client, so a `RedisStore` takes it. */
export interface RedisConnection {
  /** False once it was closed for good. */
  readonly isOpen: boolean;
  /** Whether a command would be sent now; otherwise it is refused at once. */
  readonly isReady: boolean;
  /** How often a connection was made: a new number means that another server, or one that was restarted, may answer. */
  readonly connections: number;
  /**
   * Sends one command, once: it is never repeated. Rejects with the server's error, at once while Redis is away, and 1 s
   * after it was sent when no answer came; it may have been carried out then.
   */
  sendCommand(args: readonly string[], options?: object): Promise<unknown>;
  /** Ends it; commands that wait for an answer reject. Can be called twice. */
  close(): void;
}

/** Redis refuses the address's user, password or database number. The message holds none of them. */
export class RedisRefused extends Error {
  override readonly name = 'RedisRefused';
}

/**
 * Connects to Redis or Valkey, and connects again by itself whenever the connection is lost or a command is not answered: a
 * server that hangs, or a network that swallows everything, looks like an idle connection otherwise. A Redis that is away
 * now is no error: commands are refused until it is there.
 * @param url `redis://` or `rediss://`; holds a password and is never logged
 * @throws RedisRefused when Redis answers and does not let us in
 */
export async function connectRedis(url: string, log: Logger): Promise<RedisConnection> {
  const connection = new Reconnecting(url, log);
  await connection.first();
  return connection;
}

class Reconnecting implements RedisConnection {
  readonly #url: string;
  readonly #log: Logger;
  #client: Sender;
  #closed = false;
  #connections = 0;
  #away = false;
  /** Until the first connection: whether its failure is told to whoever waits for it. */
  #starting = true;
  #firstReady!: () => void;
  #firstRefused!: (error: Error) => void;
  readonly #first = new Promise<void>((resolve, reject) => {
    this.#firstReady = resolve;
    this.#firstRefused = reject;
  });

  constructor(url: string, log: Logger) {
    this.#url = url;
    this.#log = log;
    this.#first.catch(ignore);
    this.#client = this.#connect();
  }

  get isOpen(): boolean {
    return !this.#closed;
  }

  get isReady(): boolean {
    return !this.#closed && this.#client.isReady;
  }

  get connections(): number {
    return this.#connections;
  }

  async first(): Promise<void> {
    const timer = setTimeout(this.#firstReady, FIRST_CONNECTION_MS);
    try {
      await this.#first;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#starting = false;
    }
  }

  async sendCommand(args: readonly string[], options?: object): Promise<unknown> {
    if (this.#closed) throw new Error('The connection to Redis was closed.');
    const client = this.#client;
    if (!client.isReady) throw new Error('Redis is away.');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`Redis did not answer within ${ANSWER_MS} ms.`));
        this.#replace(client);
      }, ANSWER_MS);
    });
    try {
      return await Promise.race([client.sendCommand(args, options), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#firstReady();
    end(this.#client);
  }

  /** Of many commands that are late together, the first makes the new connection. */
  #replace(client: Sender): void {
    if (this.#closed || this.#client !== client) return;
    this.#noteAway('it does not answer');
    this.#client = this.#connect();
    end(client);
  }

  #connect(): Sender {
    const client = createClient({
      url: this.#url,
      name: CLIENT_NAME,
      RESP: 2,
      disableOfflineQueue: true,
      socket: {
        connectTimeout: CONNECT_MS,
        reconnectStrategy: (retries, cause) => this.#pauseMs(retries, cause),
      },
    });
    client.on('ready', () => this.#noteReady());
    // Without a listener a lost connection would end the process.
    client.on('error', (error: unknown) => {
      if (this.#client === client) this.#noteAway(error instanceof Error ? error.message : String(error));
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same calls, with the types of no module
    const sender = client as unknown as Sender;
    sender.connect().catch(ignore);
    return sender;
  }

  #pauseMs(retries: number, cause: Error): number | false {
    if (this.#starting && REFUSED.test(cause.message)) {
      this.#firstRefused(new RedisRefused(`Redis does not let the console in: ${cause.message}`, { cause }));
      return false;
    }
    return Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** Math.min(retries, 10));
  }

  #noteReady(): void {
    this.#connections += 1;
    this.#firstReady();
    if (this.#away) this.#log.info({}, 'Redis is back');
    this.#away = false;
  }

  #noteAway(reason: string): void {
    if (this.#closed) return;
    if (!this.#away) this.#log.warn({ reason }, 'Redis does not answer; it is tried again twice a second');
    this.#away = true;
  }
}

function end(client: Sender): void {
  try {
    client.destroy();
  } catch {
    // It had not begun, or was ended by its own strategy.
  }
}

function ignore(): void {
  // Said by the listener of errors, or by the command that fails.
}
