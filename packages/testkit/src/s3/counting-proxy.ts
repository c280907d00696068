import { Agent, createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { faultFor } from './proxy-faults.ts';
import type { ActiveFault, ProxyFault } from './proxy-faults.ts';
import { operationName } from './operation-name.ts';

/** A request that went through the proxy. */
export interface CountedRequest {
  operation: string;
  method: string;
  /** Path and query, byte for byte. */
  target: string;
  /** Status that the client saw; 0 when the connection was cut before it. */
  status: number;
  /**
   * Status that the server answered with, whether the client was still there to hear it or not; 0: it was not asked, or has
   * not answered. A change that a client had sent whole before it died is made all the same, as by any server.
   */
  answered: number;
}

/** A reverse proxy that counts S3 requests and breaks some of them on demand. */
export interface CountingProxy {
  /** `http://127.0.0.1:port`: use it in place of the server's address. */
  readonly url: string;
  /** Requests by operation since the start or the last `reset()`. */
  counts(): Record<string, number>;
  /** All requests in the order that they came. */
  requests(): readonly CountedRequest[];
  /** Most requests under way at once. */
  peakConcurrency(): number;
  reset(): void;
  /** Breaks the next matching requests; faults apply in the order that they were injected. */
  inject(fault: ProxyFault): void;
  /** Faults that have not been used up. */
  pendingFaults(): number;
  /** Forgets all faults. */
  heal(): void;
  stop(): Promise<void>;
}

/**
 * Starts the proxy on loopback. Bodies stream through; method, target and headers pass byte for byte, the Host header
 * too, so signatures stay valid.
 */
export async function startCountingProxy(targetUrl: string): Promise<CountingProxy> {
  const target = new URL(targetUrl);
  const agent = new Agent({ keepAlive: true });
  let seen: CountedRequest[] = [];
  const faults: ActiveFault[] = [];
  let underWay = 0;
  let peak = 0;
  const server = createServer((incoming, outgoing) => {
    const url = incoming.url ?? '/';
    const method = incoming.method ?? 'GET';
    const operation = operationName(method, url, incoming.headers);
    const counted = { operation, method, target: url, status: 0, answered: 0 };
    seen.push(counted);
    peak = Math.max(peak, ++underWay);
    outgoing.once('close', () => {
      underWay--;
    });
    const fault = faultFor(faults, counted);
    const forward = (): void => pass(target, agent, incoming, outgoing, counted, fault);
    if (fault === null) forward();
    else fault.apply(incoming, outgoing, counted, forward);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    counts: () => countBy(seen),
    requests: () => seen,
    peakConcurrency: () => peak,
    reset: () => {
      seen = [];
      peak = underWay;
    },
    inject: (fault) => {
      faults.push({ fault, left: fault.times ?? 1 });
    },
    pendingFaults: () => faults.filter((each) => each.left > 0).length,
    heal: () => {
      faults.length = 0;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
}

function countBy(requests: readonly CountedRequest[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { operation } of requests) counts[operation] = (counts[operation] ?? 0) + 1;
  return counts;
}

function pass(
  target: URL,
  agent: Agent,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  counted: CountedRequest,
  fault: ReturnType<typeof faultFor>,
): void {
  const upstream = httpRequest({
    host: target.hostname,
    port: target.port,
    agent,
    method: counted.method,
    path: counted.target,
    // Pairs in a flat list keep their order, their case and their bytes.
    headers: incoming.rawHeaders,
    setHost: false,
  });
  upstream.once('response', (response) => {
    counted.answered = response.statusCode ?? 0;
    if (outgoing.destroyed) {
      upstream.destroy();
      return;
    }
    if (fault?.response?.(response, outgoing, counted) === true) return;
    counted.status = response.statusCode ?? 0;
    outgoing.writeHead(counted.status, response.statusMessage, response.rawHeaders);
    response.pipe(outgoing);
    response.once('aborted', () => outgoing.destroy());
  });
  upstream.once('error', () => outgoing.destroy());
  outgoing.once('close', () => {
    // A change that was sent whole is made, whoever is gone; only the server's answer says what became of it.
    const isChange = counted.method !== 'GET' && counted.method !== 'HEAD';
    const isAwaited = isChange && incoming.complete && counted.answered === 0;
    if (!outgoing.writableFinished && !isAwaited) upstream.destroy();
  });
  incoming.pipe(upstream);
}
