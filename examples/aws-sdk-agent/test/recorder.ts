import { createServer, request } from 'node:http';

/** A request as it arrived at the server's door. */
export interface Arrival {
  atMs: number;
  method: string;
  /** Path and query. */
  target: string;
  authorization: string;
}

/** A proxy before an S3 server that notes when each request came. */
export interface Recorder {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  stop(): Promise<void>;
}

export async function startRecorder(server: { port: number }): Promise<Recorder> {
  const arrivals: Arrival[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const { method = 'GET', url: target = '/', headers } = incoming;
    arrivals.push({ atMs: Date.now(), method, target, authorization: headers.authorization ?? '' });
    const onward = request({ host: '127.0.0.1', port: server.port, method, path: target, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('the recorder has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    arrivals,
    stop: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

/** What a request costs per object, told from the request alone. */
export function costOf({ method, target }: Arrival): number {
  if (method === 'POST' && /[?&]uploads\b/.test(target)) return 11;
  if (method === 'PUT' && !/[?&]partNumber=/.test(target)) return 1;
  return method === 'GET' && /[?&]list-type=/.test(target) ? 1 : 0;
}
