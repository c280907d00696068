interface Gauge {
  percent: number | null;
  /** Smoothed moment of the end on the steady clock, and when it was last looked at; null while unknown. */
  endsAtMs: number | null;
  readAtMs: number;
}

/** What is known about a job now. */
export interface Reading {
  percent: number | null;
  objectsLeft: number | null;
  objectsPerSecond: number;
  /** For how long the rate has been measured, in ms. */
  measuredMs: number;
  /** Something keeps the job from going on, so its rate says nothing. */
  disturbed: boolean;
}

/** How fast the shown end follows what the last minute says, in ms. */
const TIME_CONSTANT_MS = 30_000;
/** A rate over less than this is no rate, in ms. */
const ENOUGH_MS = 10_000;
/** Below this share an estimate from ranges says little about the rest, in percent. */
const ENOUGH_PERCENT = 2;
/** Longest time that is worth telling: ten years. */
const LONGEST_ETA_MS = 10 * 365 * 86_400_000;

/**
 * Steady figures out of jumping ones. The share done never falls while a job runs. The end is predicted from the objects
 * left and the mean rate of the last minute, and the shown one moves towards it exponentially with a time constant of 30 s:
 * of a jump, 63 % shows after 30 s. While too little is known it is unknown, not wild. In memory: a restarted console
 * begins anew.
 */
export class JobGauges {
  readonly #jobs = new Map<string, Gauge>();

  read(jobId: string, reading: Reading, steadyMs: number): { percent: number | null; etaMs: number | null } {
    const gauge = this.#jobs.get(jobId) ?? { percent: null, endsAtMs: null, readAtMs: steadyMs };
    this.#jobs.set(jobId, gauge);
    const { percent } = reading;
    if (percent !== null) gauge.percent = Math.max(percent, gauge.percent ?? 0);
    const endsAtMs = predictedEnd(reading, steadyMs);
    if (endsAtMs === null) gauge.endsAtMs = null;
    else if (gauge.endsAtMs === null) gauge.endsAtMs = endsAtMs;
    else {
      const share = 1 - Math.exp(-(steadyMs - gauge.readAtMs) / TIME_CONSTANT_MS);
      gauge.endsAtMs += share * (endsAtMs - gauge.endsAtMs);
    }
    gauge.readAtMs = steadyMs;
    return { percent: gauge.percent, etaMs: gauge.endsAtMs === null ? null : leftUntil(gauge.endsAtMs, steadyMs) };
  }

  /** The job has ended, or begins anew. */
  forget(jobId: string): void {
    this.#jobs.delete(jobId);
  }
}

function predictedEnd(
  { percent, objectsLeft, objectsPerSecond, measuredMs, disturbed }: Reading,
  steadyMs: number,
): number | null {
  if (objectsLeft === null || objectsPerSecond <= 0 || disturbed) return null;
  if (measuredMs < ENOUGH_MS || (percent ?? 0) < ENOUGH_PERCENT) return null;
  const leftMs = (objectsLeft / objectsPerSecond) * 1_000;
  return leftMs > LONGEST_ETA_MS ? null : steadyMs + leftMs;
}

function leftUntil(endsAtMs: number, steadyMs: number): number {
  return Math.max(0, Math.round(endsAtMs - steadyMs));
}
