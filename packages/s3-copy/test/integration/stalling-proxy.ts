import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server before another one that falls silent in the middle of bodies. */
export interface StallingProxy {
  url: string;
  stop(): Promise<void>;
}

/** The first `times` answers to a GET of an object send half of their body and then nothing, on an open connection. */
export async function startStallingProxy(targetUrl: string, times: number): Promise<StallingProxy> {
  const target = new URL(targetUrl);
  let left = times;
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', rawHeaders } = incoming;
    const upstream = httpRequest({
      host: target.hostname,
      port: target.port,
      method,
      path: url,
      headers: rawHeaders,
      setHost: false,
    });
    upstream.once('response', (response) => {
      const stalls = method === 'GET' && !url.includes('list-type') && left > 0;
      if (stalls) left--;
      outgoing.writeHead(response.statusCode ?? 0, response.rawHeaders);
      if (!stalls) {
        response.pipe(outgoing);
        return;
      }
      let bytes = Number(response.headers['content-length'] ?? 0) / 2;
      response.on('data', (chunk: Buffer) => {
        if (bytes > 0) outgoing.write(chunk.subarray(0, bytes));
        bytes -= chunk.length;
      });
    });
    upstream.once('error', () => outgoing.destroy());
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has such an address
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
