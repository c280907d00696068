/**
 * What this driver needs of a Redis client. `redisCommands` makes one of node-redis and ioredis clients; anything else that can
 * send a command fits in an object of one's own.
 *
 * A command that reached the server must never be sent a second time by the client itself: a draw would count twice, and a
 * refund would be paid twice. Calls reject at once while the connection is known to be down.
 */
export interface RedisCommands {
  /** For people: `node-redis`, `ioredis`. */
  readonly client: string;
  /** Keys are spread over nodes by their hash slot. */
  readonly isCluster: boolean;
  /** What the client puts before every key by itself; usually empty. */
  readonly keyPrefix: string;
  /**
   * Sends one command; `key` says which node of a cluster. Replies as RESP2 gives them: strings or buffers, numbers or their
   * texts, `null`, arrays. Rejects with the server's error reply as an `Error` whose message begins with its code.
   */
  send(args: readonly string[], key?: string): Promise<unknown>;
  /** Sends several commands in order and in one write where the client can, one promise each. */
  sendAll(commands: readonly (readonly string[])[], key?: string): readonly Promise<unknown>[];
  /** Sends one command to every primary of a cluster, or to the one server. */
  sendToPrimaries(args: readonly string[]): Promise<readonly unknown[]>;
  /** Which node holds the slot of a key; `undefined` while not known. Only for clusters. */
  nodeOf(slot: number): string | undefined;
  /** Whether the client routes and prefixes the key of this command; false for commands newer than the client. */
  knows(command: string): boolean;
  /** Drops the connection so that the client makes a new one, to whatever server the address leads to now. */
  reconnect(): void;
}

/** A client of the application: node-redis (`createClient`, `createClientPool`, `createCluster`, `createSentinel`) or ioredis. */
export type RedisClient = NodeRedisClient | IoredisClient;

/** What tells a node-redis client. */
export interface NodeRedisClient {
  readonly isOpen: boolean;
  sendCommand(...args: never[]): unknown;
}

/** What tells an ioredis client. */
export interface IoredisClient {
  readonly status: string;
  sendCommand(...args: never[]): unknown;
  call(...args: never[]): unknown;
}
