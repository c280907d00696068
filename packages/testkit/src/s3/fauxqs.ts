import { buildApp } from 'fauxqs';
import { correctFauxqs } from './fauxqs-corrections.ts';
import { createFauxqsStore, openUploads } from './fauxqs-store.ts';

/** An S3 server for tests and the demo, with the access that it takes. */
export interface S3TestServer {
  /** `http://127.0.0.1:port`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Ends the server and everything that was started for it. */
  stop(): Promise<void>;
}

/** A fauxqs server in this process. */
export interface FauxqsServer extends S3TestServer {
  /** Keys of multipart uploads that were neither completed nor aborted. */
  openUploadKeys(bucket: string): string[];
}

/** How the server differs from the default. */
export interface FauxqsOptions {
  /** Default 0: a free one. */
  port?: number;
  /** Default us-east-1. */
  region?: string;
  /** Time that every request waits before it is worked on, in ms, as over a network to a real object store. Default 0. */
  requestDelayMs?: number;
}

/**
 * Starts an in-memory S3 server in this process, on loopback only.
 * It accepts any credentials; use Ceph RGW where signatures matter.
 */
export async function startFauxqs(options: FauxqsOptions = {}): Promise<FauxqsServer> {
  const region = options.region ?? 'us-east-1';
  const store = await createFauxqsStore();
  // The app makes the stores that it is not given; its types ask for all three.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const stores = { s3Store: store } as NonNullable<NonNullable<Parameters<typeof buildApp>[0]>['stores']>;
  // `buildApp` and not the package's own `startFauxqs`, which listens on every address of the machine.
  const app = buildApp({ logger: false, defaultRegion: region, stores });
  correctFauxqs(app, store);
  const delayMs = options.requestDelayMs ?? 0;
  if (delayMs > 0) app.addHook('onRequest', (_request, _reply, done) => void setTimeout(done, delayMs));
  await app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('fauxqs did not listen on a TCP port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    region,
    accessKeyId: 'fauxqs',
    secretAccessKey: 'fauxqs-secret',
    openUploadKeys: (bucket) => openUploads(store, bucket).map((upload) => upload.key),
    stop: async () => {
      await app.close();
    },
  };
}
