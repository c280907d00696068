import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningApp } from './adapter-suite.ts';

/** Serves a fetch handler on node:http, as the runtimes do: the handler also gets the connection. */
export async function serveFetch(
  handler: (request: Request, peer: string | undefined) => Response | Promise<Response>,
): Promise<RunningApp> {
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const request = new Request(`http://127.0.0.1${incoming.url ?? '/'}`, {
      method: incoming.method ?? 'GET',
      headers,
    });
    const response = await handler(request, incoming.socket.remoteAddress);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(new Uint8Array(await response.arrayBuffer()));
  };
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => {
      outgoing.writeHead(500, { 'Content-Type': 'application/json' });
      outgoing.end(JSON.stringify({ caught: error instanceof Error ? error.message : String(error) }));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on TCP has an AddressInfo
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) };
}

/** Closes a server of node:http and every connection to it. */
export function closeServer(server: { close(done: () => void): unknown; closeAllConnections(): void }): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
