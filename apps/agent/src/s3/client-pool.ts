import { isForbiddenAddress, type S3Location } from '@weir/protocol';
import type { S3Client } from '@weir/s3-copy';
import { EndpointWatch, WatchedClient } from './endpoint-watch.ts';

/** Makes clients; replaced by tests that watch them. */
export type MakeClient = (location: S3Location, watch: EndpointWatch) => S3Client;

/** A client that somebody uses. */
export interface Borrowed {
  client: S3Client;
  watch: EndpointWatch;
  giveBack: () => void;
}

interface Shared {
  client: S3Client;
  watch: EndpointWatch;
  users: number;
}

/**
 * One client per server and credentials, whatever the number of shards that use it: they share its connections. Closed
 * when its last user has gone.
 */
export class ClientPool {
  readonly #shared = new Map<string, Shared>();
  readonly #closing = new Set<Promise<void>>();
  readonly #make: MakeClient;

  readonly #now: () => number;

  /** @param now monotonic clock, in ms */
  constructor(now: () => number, make: MakeClient = makeClient) {
    this.#now = now;
    this.#make = make;
  }

  /** @returns the client, whether its server answers, and how to give it back */
  borrow(location: S3Location): Borrowed {
    const { url, region, pathStyle, accessKeyId, secretAccessKey } = location;
    const key = JSON.stringify([url, region, pathStyle, accessKeyId, secretAccessKey]);
    const shared = this.#shared.get(key) ?? this.#newShared(location);
    this.#shared.set(key, shared);
    shared.users++;
    let given = false;
    return {
      client: shared.client,
      watch: shared.watch,
      giveBack: () => {
        if (given) return;
        given = true;
        if (--shared.users > 0) return;
        this.#shared.delete(key);
        const closing = shared.client.close().catch(() => undefined);
        this.#closing.add(closing);
        void closing.then(() => this.#closing.delete(closing));
      },
    };
  }

  #newShared(location: S3Location): Shared {
    const watch = new EndpointWatch(this.#now);
    return { client: this.#make(location, watch), watch, users: 0 };
  }

  /** Resolves when the clients that were given back are closed. */
  async close(): Promise<void> {
    await Promise.all(this.#closing);
  }
}

function makeClient(location: S3Location, watch: EndpointWatch): S3Client {
  const { url, region, pathStyle, accessKeyId, secretAccessKey } = location;
  const credentials = { accessKeyId, secretAccessKey };
  // Whoever may name endpoints and names must not learn through an agent what its machine's metadata service says.
  return new WatchedClient({ url, region, pathStyle, credentials, connect: { refuses: isForbiddenAddress } }, watch);
}
