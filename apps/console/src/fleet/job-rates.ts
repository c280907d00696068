interface Bucket {
  index: number;
  objects: number;
  bytes: number;
}

interface JobRate {
  sinceMs: number;
  buckets: Bucket[];
}

/** Width of a bucket in ms, and how many are kept: rates are means over the last minute. */
const BUCKET_MS = 5_000;
const BUCKETS = 12;

/** Speed of jobs from what their reports add. In memory: a restarted console measures anew. */
export class JobRates {
  readonly #jobs = new Map<string, JobRate>();

  /** Notes work that a report added. */
  add(jobId: string, objects: number, bytes: number, steadyMs: number): void {
    const job = this.#jobs.get(jobId) ?? { sinceMs: steadyMs, buckets: [] };
    this.#jobs.set(jobId, job);
    const index = Math.floor(steadyMs / BUCKET_MS);
    const last = job.buckets.at(-1);
    if (last?.index === index) {
      last.objects += objects;
      last.bytes += bytes;
      return;
    }
    job.buckets.push({ index, objects, bytes });
    if (job.buckets.length > BUCKETS) job.buckets.shift();
  }

  /** Objects and bytes per second over the last minute, or since the first report when that is shorter (at least 1 s). */
  read(jobId: string, steadyMs: number): { objectsPerSecond: number; bytesPerSecond: number } {
    const job = this.#jobs.get(jobId);
    if (job === undefined) return { objectsPerSecond: 0, bytesPerSecond: 0 };
    const oldest = Math.floor(steadyMs / BUCKET_MS) - BUCKETS + 1;
    const fromMs = Math.max(job.sinceMs, oldest * BUCKET_MS);
    const seconds = Math.max(1, (steadyMs - fromMs) / 1_000);
    const sum = { objects: 0, bytes: 0 };
    for (const bucket of job.buckets) {
      if (bucket.index < oldest) continue;
      sum.objects += bucket.objects;
      sum.bytes += bucket.bytes;
    }
    return { objectsPerSecond: sum.objects / seconds, bytesPerSecond: sum.bytes / seconds };
  }

  /** The job has ended. */
  forget(jobId: string): void {
    this.#jobs.delete(jobId);
  }
}
