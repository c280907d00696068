import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { CONNECTION_LIMITS } from './connection-limits.ts';
import { answerClientError } from './error-replies.ts';

/**
 * What an application behind a door is built with: it opens no port, and takes the address that the door vouches for as its
 * client's. The door leaves at most one address in `x-forwarded-for`, and only when a console of the group named it.
 */
export function behindDoor(): {
  serverFactory: (handler: RequestListener) => Server;
  trustProxy: (address: string, hop: number) => boolean;
} {
  return {
    serverFactory: (handler) => createHttpServer(handler),
    trustProxy: (_address, hop) => hop === 0,
  };
}

/** The port of a process whose work changes hands: every request is given to whoever answers at that moment. */
export class Door {
  readonly #server: Server;
  readonly #answering = new Set<ServerResponse>();
  readonly #waiting = new Set<() => void>();

  /** @param tls certificate and key, PEM; undefined: plain HTTP */
  constructor(
    tls: { cert: Buffer; key: Buffer } | undefined,
    answer: (request: IncomingMessage, response: ServerResponse) => void,
  ) {
    const { headersTimeoutMs: headersTimeout, checkMs: connectionsCheckingInterval } = CONNECTION_LIMITS;
    const timeouts = { headersTimeout, connectionsCheckingInterval };
    const listener: RequestListener = (request, response) => {
      this.#note(response);
      answer(request, response);
    };
    this.#server =
      tls === undefined ? createHttpServer(timeouts, listener) : createHttpsServer({ ...tls, ...timeouts }, listener);
    this.#server.keepAliveTimeout = CONNECTION_LIMITS.keepAliveMs;
    this.#server.requestTimeout = CONNECTION_LIMITS.requestTimeoutMs;
    this.#server.setTimeout(CONNECTION_LIMITS.stalledMs);
    this.#server.on('clientError', answerClientError);
  }

  /** Listens. @returns the port. @throws Error with `code` EADDRINUSE and the like */
  async listen(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const bound = this.#server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : port;
  }

  /** Takes no new connections; those that are open are answered. */
  refuseNew(): void {
    this.#server.close();
  }

  /** Resolves when nothing is being answered. */
  async idle(): Promise<void> {
    if (this.#answering.size === 0) return;
    await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** Ends every connection, also in the middle of an answer. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  /** Ends idle connections, and waits for the others. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#server.closeIdleConnections();
    await closed;
  }

  #note(response: ServerResponse): void {
    this.#answering.add(response);
    response.once('close', () => {
      this.#answering.delete(response);
      if (this.#answering.size > 0) return;
      for (const resolve of this.#waiting) resolve();
      this.#waiting.clear();
    });
  }
}
