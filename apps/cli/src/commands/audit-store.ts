import {
  memcachedAuditedStore,
  nodeRedisNode,
  redisAuditedStore,
  type AuditedStore,
  type RedisNode,
} from '@weir/quota-audit';
import { CommandError } from '../output/command-error.ts';
import {
  cannotConnect,
  clusterPrimaries,
  connectMemcached,
  connectRedis,
  parseServerUrl,
  redacted,
  type RedisConnection,
} from './quota-servers.ts';

/** A store that is open. */
export interface OpenStore {
  readonly store: AuditedStore;
  close(): Promise<void>;
}

/**
 * Opens what a URL names: one server, every primary of a Redis Cluster, or one or several memcached servers.
 * @param replica of the one Redis server, to read from.
 * @throws CommandError `url-invalid`, `cannot-connect`, `replica-unusable`
 */
export async function openAudited(text: string, replica?: string): Promise<OpenStore> {
  const target = parseServerUrl(text);
  if (target.kind === 'memcached') {
    if (replica !== undefined) throw unusableReplica('memcached has no replicas');
    const client = await connectMemcached(target.servers);
    return {
      store: memcachedAuditedStore(client),
      close: () => Promise.resolve(client.close()),
    };
  }
  const open: RedisConnection[] = [];
  const close = async (): Promise<void> => {
    await Promise.allSettled(open.map(async (client) => client.destroy()));
  };
  const connect = async (url: URL): Promise<RedisNode> => {
    const client = await connectRedis(url);
    open.push(client);
    return nodeRedisNode(client, url.host);
  };
  try {
    const first = await connectRedis(target.url);
    open.push(first);
    const primaries = await clusterPrimaries(first, target.url).catch((error: unknown) => {
      throw cannotConnect(redacted(text), error);
    });
    if (primaries === undefined) {
      const readers = replica === undefined ? {} : { readers: [await connect(replicaUrl(replica))] };
      return { store: redisAuditedStore([nodeRedisNode(first, target.url.host)], readers), close };
    }
    if (replica !== undefined) throw unusableReplica('of a cluster the primaries are read');
    return { store: redisAuditedStore(await Promise.all(primaries.map(connect))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function replicaUrl(text: string): URL {
  const target = parseServerUrl(text);
  if (target.kind === 'redis') return target.url;
  throw unusableReplica('it is no Redis or Valkey');
}

function unusableReplica(why: string): CommandError {
  return new CommandError('replica-unusable', `cannot read from a replica: ${why}`, { remedy: 'Leave --replica out.' });
}
