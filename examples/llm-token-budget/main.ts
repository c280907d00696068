import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from 'redis';
import { MemoryStore, openQuotas } from '@weir/quota';
import { RedisStore } from '@weir/quota-redis';
import { createProxy } from './proxy.ts';
import { createUpstream } from './upstream.ts';

/*
 * PORT            default 3001; 0: any
 * REDIS_URL       budgets are counted there; default: in this process
 * RESERVATION_MS  how long a call may take, default 120000
 */
const { PORT = '3001', REDIS_URL, RESERVATION_MS = '120000' } = process.env;

const redis = REDIS_URL === undefined ? undefined : createClient({ url: REDIS_URL, pingInterval: 2_000 });
redis?.on('error', (error: Error) => console.error(`redis: ${error.message}`));
await redis?.connect();
const store = redis === undefined ? new MemoryStore() : new RedisStore({ client: redis });
const quotas = openQuotas({ store, onEvent: (event) => console.warn('quota:', event) });
await quotas.ready();

async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on TCP has an AddressInfo
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const upstream = createUpstream(40);
const proxy = createProxy({
  quotas,
  upstreamUrl: await listen(upstream.server, 0),
  dailyTokens: () => 500,
  reservationMs: Number(RESERVATION_MS),
});
const url = await listen(proxy, Number(PORT));
console.log(`listening on ${url}`);
console.log(`try: curl -N -H 'X-Team: search' -d '{"prompt":"say 30 words","max_tokens":200}' ${url}/v1/completions`);

const stop = async (): Promise<void> => {
  for (const server of [proxy, upstream.server]) {
    server.close();
    server.closeAllConnections();
  }
  await quotas.close();
  redis?.destroy();
};
process.once('SIGINT', () => void stop());
process.once('SIGTERM', () => void stop());
