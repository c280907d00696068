import { createServer, request, type Server } from 'node:http';

const SLOW_DOWN =
  '<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>';

/** An HTTP proxy before an S3 server that answers `503 SlowDown` to what it is told to. */
export class SlowDownProxy {
  readonly url: string;
  /** Requests that are answered with 503; default: none. */
  refuses: (method: string, path: string) => boolean = () => false;
  refused = 0;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(target: { port: number }): Promise<SlowDownProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    const proxy = new SlowDownProxy(server, address.port);
    server.on('request', (incoming, outgoing) => {
      const { method = 'GET', url = '/', headers } = incoming;
      if (proxy.refuses(method, url)) {
        proxy.refused++;
        incoming.resume();
        outgoing.writeHead(503, { 'content-type': 'application/xml' }).end(SLOW_DOWN);
        return;
      }
      const onward = request({ host: '127.0.0.1', port: target.port, method, path: url, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    });
    return proxy;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
