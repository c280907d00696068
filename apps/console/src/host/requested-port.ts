import { createServer } from 'node:net';

/**
 * Looks whether a console could listen there, before it makes anything: most starts that fail, fail for this.
 * @throws Error with `code` EADDRINUSE and the like
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => server.close(() => resolve()));
  });
}
