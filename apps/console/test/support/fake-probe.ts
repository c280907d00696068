import type { EndpointProbe, ProbeTarget } from '../../src/ports/endpoint-probe.ts';

/** S3 servers that exist only for the probe: by URL, their accounts and buckets. */
export class FakeProbe implements EndpointProbe {
  readonly servers = new Map<string, { accessKeyId: string; secretAccessKey: string; buckets: string[] }>();
  /** Targets that were asked, to see what was sent. */
  readonly asked: ProbeTarget[] = [];
  /** While set, servers never answer. */
  hangs = false;

  constructor() {
    this.servers.set('http://127.0.0.1:9001', {
      accessKeyId: 'src',
      secretAccessKey: 'src-secret',
      buckets: ['photos'],
    });
    this.servers.set('http://127.0.0.1:9002', {
      accessKeyId: 'dst',
      secretAccessKey: 'dst-secret',
      buckets: ['archive'],
    });
  }

  async #ask(target: ProbeTarget): ReturnType<EndpointProbe['listBuckets']> {
    this.asked.push(target);
    if (this.hangs) await new Promise(() => undefined);
    const server = this.servers.get(target.url);
    if (server === undefined) return { ok: false, reason: 'unreachable', message: 'connection refused' };
    if (server.accessKeyId !== target.accessKeyId || server.secretAccessKey !== target.secretAccessKey) {
      return { ok: false, reason: 'refused-credentials', message: 'SignatureDoesNotMatch' };
    }
    return { ok: true, buckets: server.buckets };
  }

  async listBuckets(target: ProbeTarget): ReturnType<EndpointProbe['listBuckets']> {
    return this.#ask(target);
  }

  async checkBucket(target: ProbeTarget, bucket: string): ReturnType<EndpointProbe['checkBucket']> {
    const answer = await this.#ask(target);
    if (!answer.ok) return answer;
    return answer.buckets?.includes(bucket)
      ? { ok: true }
      : { ok: false, reason: 'no-such-bucket', message: 'NoSuchBucket' };
  }
}
