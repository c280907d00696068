import { MemcachedClient } from '@weir/quota-memcached';
import type { NodeRedisClient } from '@weir/quota-redis';
import { createClient, createCluster } from 'redis';
import { CommandError } from '../output/command-error.ts';
import { remedyFor } from '../output/connection-cause.ts';
import { PATIENCE_MS, withinPatience } from '../output/patience.ts';

/** The parts of a node-redis client that are used. */
export interface RedisConnection {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: 'error', listener: () => void): unknown;
  sendCommand(args: readonly (string | Buffer)[], options?: { typeMapping: object }): Promise<unknown>;
}

/** What a URL names. */
export type ServerUrl =
  | { readonly kind: 'redis'; readonly url: URL }
  | { readonly kind: 'memcached'; readonly servers: readonly string[] };

/**
 * Reads the URL of a store: `redis://`, `rediss://`, `valkey://`, `valkeys://`, `memcached://host:port[,host:port]`.
 * @throws CommandError `url-invalid`
 */
export function parseServerUrl(text: string): ServerUrl {
  const [, scheme = '', rest = ''] = /^([a-z]+):\/\/(.+)$/s.exec(text) ?? [];
  if (scheme === 'memcached' || scheme === 'memcacheds') {
    return { kind: 'memcached', servers: rest.split(',').map((server) => `${scheme}://${server}`) };
  }
  const redisScheme = { redis: 'redis', rediss: 'rediss', valkey: 'redis', valkeys: 'rediss' }[scheme];
  // `new URL` would refuse the address without naming it.
  if (redisScheme === undefined || !URL.canParse(`${redisScheme}://${rest}`)) {
    throw new CommandError('url-invalid', `not the address of a store: ${redacted(text)}`, {
      remedy:
        'Write redis://host:6379, rediss://user:password@host:6380/0, valkey://host:6379 or memcached://host:11211.',
    });
  }
  return { kind: 'redis', url: new URL(`${redisScheme}://${rest}`) };
}

/** An address without its password, for people and for files. */
export function redacted(text: string): string {
  return text.replace(/^([a-z]+:\/\/[^:@/]*):.*@/s, '$1:…@');
}

function connectionTo(url: URL): RedisConnection {
  return createClient({
    url: url.href,
    // Servers before 6 do not know the newer protocol, and nothing here needs it.
    RESP: 2,
    socket: { connectTimeout: PATIENCE_MS, reconnectStrategy: false },
  });
}

/**
 * Opens a connection to a Redis or Valkey server.
 * @throws CommandError `cannot-connect`
 */
export async function connectRedis(url: URL): Promise<RedisConnection> {
  const client = connectionTo(url);
  // Without a listener a lost connection would end the process; the command that is under way fails with the reason.
  client.on('error', () => undefined);
  try {
    // The time-out of the client is that of the connection: a server that takes it and says nothing would be waited for.
    await withinPatience(client.connect());
    return client;
  } catch (error) {
    client.destroy();
    throw cannotConnect(redacted(url.href), error);
  }
}

/** The error for a store that does not answer. */
export function cannotConnect(address: string, cause: unknown): CommandError {
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
  return new CommandError('cannot-connect', `cannot use ${address}: ${reason}`, {
    remedy: remedyFor(
      cause,
      address.startsWith('memcached') ? 'memcached' : 'redis',
      'Check that the server runs there, that this machine may reach it, and the password in the address.',
    ),
    cause,
  });
}

/**
 * The primaries of the cluster that a server belongs to; `undefined` when it is no cluster.
 * @throws the server's error when it refuses to say.
 */
export async function clusterPrimaries(client: RedisConnection, url: URL): Promise<URL[] | undefined> {
  // A user that may not ask is not on a cluster as far as we can tell.
  const info = String(await client.sendCommand(['INFO', 'cluster']).catch(() => ''));
  if (!/^cluster_enabled:1/m.test(info)) return undefined;
  const nodes = String(await client.sendCommand(['CLUSTER', 'NODES']));
  const primaries: URL[] = [];
  for (const line of nodes.split('\n')) {
    const [, address = '', flags = ''] = line.split(' ');
    if (!/(?:^|,)master(?:,|$)/.test(flags) || flags.includes('fail')) continue;
    const [, host = '', port = ''] = /^(.*):(\d+)@/.exec(address) ?? [];
    const primary = new URL(url.href);
    // A node that was never told its own address leaves it out: it is the one that we talk to.
    if (host !== '') primary.hostname = host.includes(':') ? `[${host}]` : host;
    primary.port = port;
    primaries.push(primary);
  }
  // Always in the same order: an interrupted audit goes on at the n-th of them.
  return primaries.sort((a, b) => (a.host < b.host ? -1 : 1));
}

/**
 * Opens a client of a server, or of the whole cluster that it belongs to.
 * @throws CommandError `cannot-connect`
 */
export async function connectRedisStore(url: URL): Promise<{ client: NodeRedisClient; destroy(): void }> {
  const client = await connectRedis(url);
  const primaries = await withinPatience(clusterPrimaries(client, url)).catch((error: unknown) => {
    client.destroy();
    throw cannotConnect(redacted(url.href), error);
  });
  if (primaries === undefined) return { client, destroy: () => client.destroy() };
  client.destroy();
  const { username, password } = url;
  const cluster = createCluster({
    RESP: 2,
    rootNodes: primaries.map(({ href }) => ({ url: href })),
    defaults: {
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      socket: { connectTimeout: PATIENCE_MS, reconnectStrategy: false },
    },
  });
  cluster.on('error', () => undefined);
  cluster.on('node-error', () => undefined);
  try {
    await withinPatience(cluster.connect());
  } catch (error) {
    cluster.destroy();
    throw cannotConnect(redacted(url.href), error);
  }
  return { client: cluster, destroy: () => cluster.destroy() };
}

/**
 * A client of one or several memcached servers that answer.
 * @throws CommandError `cannot-connect`
 */
export async function connectMemcached(servers: readonly string[]): Promise<MemcachedClient> {
  try {
    const client = new MemcachedClient({ servers, callTimeoutMs: PATIENCE_MS });
    try {
      await Promise.all(client.servers.map((server) => server.mn()));
    } catch (error) {
      client.close();
      throw error;
    }
    return client;
  } catch (error) {
    throw cannotConnect(servers.join(', '), error);
  }
}
