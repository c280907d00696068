import type { AddressInfo } from 'node:net';
import { createClient } from 'redis';
import { openQuotas } from '@weir/quota';
import { RedisStore } from '@weir/quota-redis';
import { createApi } from './api.ts';

/*
 * PORT             default 3000; 0: any
 * REDIS_URL        default: a redis-server is started beside this process and ends with it
 * TRUSTED_PROXIES  CIDR blocks with commas between, default none
 * SERVERS          how many of these processes share the quotas, default 1
 */
const { PORT = '3000', REDIS_URL, TRUSTED_PROXIES = '', SERVERS = '1' } = process.env;

// Only for a first look: no Redis named, so bring one.
const ownRedis =
  REDIS_URL === undefined ? await import('@weir/testkit/redis').then((kit) => kit.startRedis()) : undefined;

const redis = createClient({
  url: REDIS_URL ?? ownRedis?.url ?? '',
  // Notices a half-open connection, and comes back soon after a restart.
  socket: { socketTimeout: 5_000, reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 2_000) },
  pingInterval: 2_000,
});
redis.on('error', (error: Error) => console.error(`redis: ${error.message}`));
await redis.connect();

const quotas = openQuotas({
  store: new RedisStore({ client: redis }),
  onEvent: (event) => console.warn('quota:', event),
});
await quotas.ready();

const api = createApi({
  quotas,
  trustedProxies: TRUSTED_PROXIES.split(',').filter((block) => block !== ''),
  servers: Number(SERVERS),
});
const server = api.listen(Number(PORT), '127.0.0.1', () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on TCP has an AddressInfo
  const { port } = server.address() as AddressInfo;
  console.log(`listening on http://127.0.0.1:${port}`);
  console.log(`try: curl -i -H 'X-Api-Key: key-acme' http://127.0.0.1:${port}/v1/documents/7`);
});

const stop = async (): Promise<void> => {
  server.close();
  server.closeAllConnections();
  await quotas.close();
  redis.destroy();
  await ownRedis?.stop();
};
process.once('SIGINT', () => void stop());
process.once('SIGTERM', () => void stop());
