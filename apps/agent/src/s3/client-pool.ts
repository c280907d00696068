import type { S3Location } from '@weir/protocol';
import { S3Client } from '@weir/s3-copy';

/** Makes clients; replaced by tests that watch them. */
export type MakeClient = (location: S3Location) => S3Client;

interface Shared {
  client: S3Client;
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

  constructor(make: MakeClient = makeClient) {
    this.#make = make;
  }

  /** @returns the client, and how to give it back */
  borrow(location: S3Location): { client: S3Client; giveBack: () => void } {
    const { url, region, pathStyle, accessKeyId, secretAccessKey } = location;
    const key = JSON.stringify([url, region, pathStyle, accessKeyId, secretAccessKey]);
    const shared = this.#shared.get(key) ?? { client: this.#make(location), users: 0 };
    this.#shared.set(key, shared);
    shared.users++;
    let given = false;
    return {
      client: shared.client,
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

  /** Resolves when the clients that were given back are closed. */
  async close(): Promise<void> {
    await Promise.all(this.#closing);
  }
}

function makeClient(location: S3Location): S3Client {
  const { url, region, pathStyle, accessKeyId, secretAccessKey } = location;
  return new S3Client({ url, region, pathStyle, credentials: { accessKeyId, secretAccessKey } });
}
