import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections (Linux: from 32768 on): a server that is killed and started again
 * must not find its port taken by some client's connection.
 */
const LOWEST_PORT = 10_000;
const PORTS_END = 32_768;
const ATTEMPTS = 100;

/** Loopback ports that were free a moment ago; all different. Another process may still take one: retry on failure. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let attempt = 0; ports.size < count; attempt += 1) {
    if (attempt === count * ATTEMPTS)
      throw new Error(`no ${count} ports are free from ${LOWEST_PORT} to ${PORTS_END - 1}`);
    const port = randomInt(LOWEST_PORT, PORTS_END);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
