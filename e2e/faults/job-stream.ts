import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@weir/client';
import type { JobView } from '@weir/protocol';
import { callContext, createBucket, listPages, pageFetcher, putObject, type S3Client } from '@weir/s3-copy';
import { openS3, type S3Access } from '../../apps/cli/src/demo/objects.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const SOURCE = 'source';
const TARGET = 'target';
const ENDED = new Set<JobView['state']>(['completed', 'completed-with-failures', 'failed', 'cancelled']);
const LOOK_MS = 1_000;

export interface StreamOptions {
  s3: S3Access;
  /** Repeats nothing: what fails is tried at the next look. */
  call: <T>(ask: (admin: Client) => Promise<T>) => Promise<T>;
  objectsPerJob: number;
  /** Jobs that are unfinished at any time. */
  backlog: number;
  /** Jobs write in turn under so many prefixes, or each under its own (infinite): then all are compared at the end. */
  prefixes: number;
}

/** Job after job, so that every agent has work at any moment; all copy the same objects. */
export class JobStream {
  readonly #options: StreamOptions;
  readonly #client: S3Client;
  readonly #jobs = new Map<string, Pick<JobView, 'jobId' | 'state'>>();
  readonly #stop = new AbortController();
  #endpointIds = { source: '', target: '' };
  #queued = 0;
  #drained = false;
  #loop: Promise<void> = Promise.resolve();

  private constructor(options: StreamOptions) {
    this.#options = options;
    this.#client = openS3(options.s3);
  }

  /** Fills the source and queues the first jobs. */
  static async start(options: StreamOptions): Promise<JobStream> {
    const stream = new JobStream(options);
    await stream.#fill();
    // Two names of one server: by one name it would copy by itself, and no object would pass through the agents.
    const source = await stream.#endpoint('source', options.s3.url);
    const target = await stream.#endpoint('target', options.s3.url.replace('127.0.0.1', 'localhost'));
    stream.#endpointIds = { source, target };
    await stream.#look();
    stream.#loop = stream.#run();
    return stream;
  }

  /** Jobs that were queued, and how they stand: `{ completed: 12, running: 3 }`. */
  get tally(): Record<string, number> {
    const tally: Record<string, number> = {};
    for (const { state } of this.#jobs.values()) tally[state] = (tally[state] ?? 0) + 1;
    return tally;
  }

  /** Queues no more, and waits until every job has ended. */
  async drain(timeoutMs: number): Promise<void> {
    this.#drained = true;
    await waitUntil(`all jobs have ended`, timeoutMs, async () => (this.#unfinished() === 0 ? true : null)).catch(
      (error: unknown) => {
        throw new Error(`jobs stand at ${JSON.stringify(this.tally)}`, { cause: error });
      },
    );
    await this.close();
  }

  /** Objects that are missing, too many or different in the target, over all jobs that were queued. */
  async differences(): Promise<string[]> {
    const source = await this.#listing(SOURCE);
    const target = await this.#listing(TARGET);
    const prefixes = new Set([...this.#jobs.keys()].map((name) => this.#prefixOf(name)));
    const different: string[] = [];
    for (const prefix of prefixes) {
      for (const [key, facts] of source) {
        if (target.get(prefix + key) !== facts) different.push(prefix + key);
        target.delete(prefix + key);
      }
    }
    return [...different, ...target.keys()];
  }

  /** Looks and queues no more; jobs go on. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await this.#client.close();
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      // Consoles are killed meanwhile: the next look sees what became of a request without an answer.
      await this.#look().catch(() => undefined);
      await sleep(LOOK_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const { call, backlog } = this.#options;
    // A page of the newest, and the stragglers one by one: the history of a long run is not to be read twice a second.
    const { jobs } = await call((admin) => admin.call('jobs', { query: { limit: 2 * backlog + 20 } }));
    for (const { name, jobId, state } of jobs) this.#jobs.set(name, { jobId, state });
    const listed = new Set(jobs.map(({ name }) => name));
    for (const [name, { jobId, state }] of this.#jobs) {
      if (listed.has(name) || ENDED.has(state)) continue;
      this.#jobs.set(name, await call((admin) => admin.call('job', { params: { jobId } })));
    }
    while (!this.#drained && this.#unfinished() < backlog) {
      const name = `copy-${String(this.#queued).padStart(5, '0')}`;
      if (!this.#jobs.has(name)) await this.#queue(name);
      this.#queued += 1;
    }
  }

  async #queue(name: string): Promise<void> {
    const { source, target } = this.#endpointIds;
    const job = await this.#options.call((admin) =>
      admin.call('createJob', {
        body: {
          name,
          source: { endpointId: source, bucket: SOURCE },
          target: { endpointId: target, bucket: TARGET, prefix: this.#prefixOf(name) },
        },
      }),
    );
    this.#jobs.set(name, job);
  }

  async #endpoint(name: string, url: string): Promise<string> {
    const { region, accessKeyId, secretAccessKey } = this.#options.s3;
    const body = { name, url, region, accessKeyId, secretAccessKey };
    return (await this.#options.call((admin) => admin.call('createEndpoint', { body }))).endpointId;
  }

  #prefixOf(name: string): string {
    const number = Number(name.slice('copy-'.length));
    return `${Number.isFinite(this.#options.prefixes) ? `copy-${number % this.#options.prefixes}` : name}/`;
  }

  #unfinished(): number {
    return [...this.#jobs.values()].filter(({ state }) => !ENDED.has(state)).length;
  }

  async #fill(): Promise<void> {
    const call = callContext();
    for (const bucket of [SOURCE, TARGET]) await createBucket(this.#client, bucket, call);
    for (let n = 0; n < this.#options.objectsPerJob; n += 1) {
      const body = { type: 'bytes', bytes: Buffer.from(`content of object ${n} `.repeat(1 + (n % 40))) } as const;
      const key = `folder-${n % 7}/object ${n}`;
      await putObject(this.#client, { bucket: SOURCE, key, body, headers: [] }, call, 0, { admitted: true });
    }
  }

  /** Size and MD5 of every object, by key. */
  async #listing(bucket: string): Promise<Map<string, string>> {
    const client = openS3(this.#options.s3);
    const facts = new Map<string, string>();
    for await (const page of listPages(pageFetcher(client, callContext()), { bucket, prefix: '' })) {
      for (const { key, sizeBytes, etag } of page) facts.set(key, `${sizeBytes} ${etag}`);
    }
    await client.close();
    return facts;
  }
}
