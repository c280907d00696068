/** What a report added. */
export interface Work {
  objects: number;
  /** Size of the objects copied. */
  bytes: number;
  /** Object bytes that went over the network, in both directions. */
  trafficBytes: number;
}

/** Speed over the last reports. */
export interface Rates {
  objectsPerSecond: number;
  bytesPerSecond: number;
  /** Bits per second ÷ 10⁶ over the network. */
  mbps: number;
}

interface Bucket extends Work {
  index: number;
}

interface Meter {
  sinceMs: number;
  buckets: Bucket[];
}

/** Width of a bucket in ms, and how many are kept: rates are means over the last minute. */
const BUCKET_MS = 5_000;
const BUCKETS = 12;

/** No work, no speed. */
export const NO_RATES: Rates = { objectsPerSecond: 0, bytesPerSecond: 0, mbps: 0 };

/** Speed of jobs, and of each agent in a job, from what their reports add. In memory: a restarted console measures anew. */
export class JobRates {
  /** By job, then by agent; the job itself under the empty name. */
  readonly #jobs = new Map<string, Map<string, Meter>>();

  /** Notes work that an agent's report added. */
  add(jobId: string, agentId: string, work: Work, steadyMs: number): void {
    const meters = this.#jobs.get(jobId) ?? new Map<string, Meter>();
    this.#jobs.set(jobId, meters);
    for (const name of ['', agentId]) {
      const meter = meters.get(name) ?? { sinceMs: steadyMs, buckets: [] };
      meters.set(name, meter);
      count(meter, work, steadyMs);
    }
  }

  /** Rates over the last minute, or since the first report when that is shorter (at least 1 s). */
  read(jobId: string, steadyMs: number, agentId: string = ''): Rates {
    const meter = this.#jobs.get(jobId)?.get(agentId);
    if (meter === undefined) return NO_RATES;
    const oldest = Math.floor(steadyMs / BUCKET_MS) - BUCKETS + 1;
    const fromMs = Math.max(meter.sinceMs, oldest * BUCKET_MS);
    const seconds = Math.max(1, (steadyMs - fromMs) / 1_000);
    const sum = { objects: 0, bytes: 0, trafficBytes: 0 };
    for (const bucket of meter.buckets) {
      if (bucket.index < oldest) continue;
      sum.objects += bucket.objects;
      sum.bytes += bucket.bytes;
      sum.trafficBytes += bucket.trafficBytes;
    }
    return {
      objectsPerSecond: sum.objects / seconds,
      bytesPerSecond: sum.bytes / seconds,
      mbps: (sum.trafficBytes * 8) / 1_000_000 / seconds,
    };
  }

  /** For how long the job has been measured, in ms. */
  measuredMs(jobId: string, steadyMs: number): number {
    const meter = this.#jobs.get(jobId)?.get('');
    return meter === undefined ? 0 : steadyMs - meter.sinceMs;
  }

  /** The job has ended. */
  forget(jobId: string): void {
    this.#jobs.delete(jobId);
  }
}

function count(meter: Meter, { objects, bytes, trafficBytes }: Work, steadyMs: number): void {
  const index = Math.floor(steadyMs / BUCKET_MS);
  const last = meter.buckets.at(-1);
  if (last?.index === index) {
    last.objects += objects;
    last.bytes += bytes;
    last.trafficBytes += trafficBytes;
    return;
  }
  meter.buckets.push({ index, objects, bytes, trafficBytes });
  if (meter.buckets.length > BUCKETS) meter.buckets.shift();
}
