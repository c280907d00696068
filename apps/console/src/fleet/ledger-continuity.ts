/*
 * Whether the counters of a ledger know every lease that can be live. A store that keeps them may lose them (restarted
 * empty, flushed, failed over), and its clock, by which periods are told, may be set. A marker beside the counters says
 * which ledger they are, on which run of the server, and from when on it may lease:
 *
 *   unproven ── marker of this run of the server ───────────────────────────▶ proven, ready from the moment it says
 *      ▲  └──── none, or one of another run: a new marker, ready when every lease that an older ledger may have given
 *      │        has ended (1.05 windows) ───────────────────────────────────▶ proven
 *      └── another connection · marker gone or another · clock jumped ◀── proven
 *
 * A lease counts only if the marker is still there after it was drawn, over the same connection: whatever was lost before is
 * then noticed, and what is lost later is noticed by the next one. What stays is a failover that loses counters and is
 * hidden from the connection, and a clock that is set while no console leads.
 */
import { randomUUID } from 'node:crypto';
import { deadlineAt } from '@weir/quota';
import { z } from 'zod';
import { LedgerUnavailable, type LedgerTier } from '../ports/credit-ledger.ts';
import { readShared } from '../validation/shared-text.ts';
import { SharedCall } from './shared-call.ts';

/** A proof, as of one reading of the ledger's clock. */
export interface Proof {
  readonly ledgerId: string;
  /** The ledger's clock, in ms; read after the proof was asked for. */
  readonly nowMs: number;
  /** Whether leases may be given. */
  readonly ready: boolean;
  readonly marker: Marker;
}

interface Marker {
  readonly text: string;
  readonly ledgerId: string;
  readonly readyAtMs: number;
  readonly connections: number;
}

/** What stands in the marker. */
const marker = z.object({
  id: z.string(),
  run: z.string(),
  windowSeconds: z.number(),
  leaseMs: z.number(),
  readyAtMs: z.number(),
});
type MarkerText = z.infer<typeof marker>;

export const LEDGER_KEYS = 'weir:ledger:{fleet}:';
const KEY = `${LEDGER_KEYS}marker`;
/** A marker that nobody renews is gone after so many longest leases, in ms at least: an older ledger proves nothing. */
const KEPT_LEASES = 3;
const SHORTEST_KEPT_MS = 60_000;
/** Renewed when this part of its time has passed. */
const RENEWED_AFTER_PART = 1 / 8;
/** Clocks drift a little between two readings; what is more was set. In ms. */
const LARGEST_DRIFT_MS = 250;
/** Leases of consoles that still go by the marker that is replaced may begin this much later, in ms. */
const REPLACED_MARGIN_MS = 1_000;
const MOST_TRIES = 4;

export class LedgerContinuity {
  readonly #tier: LedgerTier;
  readonly #windowSeconds: number;
  readonly #leaseMs: number;
  readonly #steadyMs: () => number;
  readonly #clock: SharedCall<number>;
  readonly #look: SharedCall<{ text: string | undefined; connections: number }>;
  #mayBeHeld = true;
  #marker: Marker | null = null;
  #establishing: Promise<void> | null = null;
  /** The ledger's clock was set: the marker that is there counts leases by another time. */
  #jumped = false;
  /** Ledger's clock minus ours, as far as the last reading tells. */
  #offset: { readonly lowMs: number; readonly highMs: number } | null = null;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #readyFromSteadyMs = Number.POSITIVE_INFINITY;

  /** @param options.leaseMs how long a lease is live at most. */
  constructor(options: { tier: LedgerTier; windowSeconds: number; leaseMs: number; steadyMs: () => number }) {
    this.#tier = options.tier;
    this.#windowSeconds = options.windowSeconds;
    this.#leaseMs = options.leaseMs;
    this.#steadyMs = options.steadyMs;
    this.#clock = new SharedCall(() => this.#time());
    this.#look = new SharedCall(async () => {
      const text = await asked(() => this.#tier.store.get(KEY));
      return { text, connections: this.#tier.connections() };
    });
  }

  /** @param mayBeHeld whether leases may be live that no ledger knows of, should there be no marker now. */
  begin(mayBeHeld: boolean): void {
    this.#mayBeHeld = mayBeHeld;
    this.#forget();
  }

  /** Whether leases are given, as far as is known without asking. */
  get ready(): boolean {
    return this.#marker?.connections === this.#tier.connections() && this.#steadyMs() >= this.#readyFromSteadyMs;
  }

  /**
   * Proves that the counters are those of a ledger that knows all leases, and reads its clock.
   * @throws LedgerUnavailable
   */
  async prove(): Promise<Proof> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const marker = this.#marker;
      if (marker === null || marker.connections !== this.#tier.connections()) {
        await this.#establishOnce();
        continue;
      }
      const nowMs = await this.#clock.ask();
      if (this.#jumped) this.#forget();
      if (this.#marker !== marker) continue;
      return { ledgerId: marker.ledgerId, nowMs, ready: nowMs >= marker.readyAtMs, marker };
    }
    throw new LedgerUnavailable('the credit ledger does not come to rest: do consoles with other windows share it?');
  }

  /** Whether what was proven is still so; to be asked after a draw. */
  async holds({ marker }: Proof): Promise<boolean> {
    const seen = await this.#look.ask();
    if (seen.text === marker.text && marker.connections === seen.connections) return true;
    if (this.#marker === marker) this.#forget();
    return false;
  }

  /** Keeps the marker alive, and looks for one when there is none. @throws LedgerUnavailable */
  async keep(): Promise<void> {
    const keptMs = Math.max(SHORTEST_KEPT_MS, KEPT_LEASES * this.#leaseMs);
    if (this.#marker !== null && this.#steadyMs() < this.#renewedAtMs + keptMs * RENEWED_AFTER_PART) return;
    const { nowMs, marker } = await this.prove();
    const deadline = deadlineAt(nowMs + keptMs, nowMs);
    const { swapped } = await asked(() => this.#tier.store.swap(KEY, marker.text, marker.text, deadline));
    if (swapped) this.#renewedAtMs = this.#steadyMs();
    else if (this.#marker === marker) this.#forget();
  }

  #forget(): void {
    this.#marker = null;
    this.#readyFromSteadyMs = Number.POSITIVE_INFINITY;
  }

  #establishOnce(): Promise<void> {
    this.#establishing ??= this.#establish().finally(() => {
      this.#establishing = null;
    });
    return this.#establishing;
  }

  async #establish(): Promise<void> {
    const { store, connections: connectionsNow } = this.#tier;
    // Good for one look: what another console does until the next one is not known.
    const mayBeHeld = this.#mayBeHeld;
    this.#mayBeHeld = true;
    const connections = connectionsNow();
    const { instance: run = '' } = await asked(() => store.health());
    const found = await asked(() => store.get(KEY));
    // After the marker: no lease that an older one allowed begins later than this.
    const nowMs = await this.#time();
    const known = found === undefined ? null : readShared(marker, found);
    const fits = known !== null && known.run === run && known.windowSeconds === this.#windowSeconds;
    if (found !== undefined && fits && !this.#jumped) {
      this.#adopt({ text: found, ledgerId: known.id, readyAtMs: known.readyAtMs, connections }, nowMs);
      return;
    }
    const longestMs = Math.max(this.#leaseMs, known?.leaseMs ?? 0);
    const waitMs = found === undefined ? (mayBeHeld ? longestMs : 0) : longestMs + REPLACED_MARGIN_MS;
    const next: MarkerText = {
      id: randomUUID(),
      run,
      windowSeconds: this.#windowSeconds,
      leaseMs: this.#leaseMs,
      readyAtMs: nowMs + waitMs,
    };
    const text = JSON.stringify(next);
    const keptMs = Math.max(SHORTEST_KEPT_MS, KEPT_LEASES * this.#leaseMs);
    const { swapped } = await asked(() => store.swap(KEY, found, text, deadlineAt(nowMs + keptMs, nowMs)));
    // Else another console was faster; its marker is looked at next.
    if (!swapped) return;
    this.#jumped = false;
    this.#adopt({ text, ledgerId: next.id, readyAtMs: next.readyAtMs, connections }, nowMs);
  }

  #adopt(marker: Marker, nowMs: number): void {
    this.#marker = marker;
    this.#readyFromSteadyMs = this.#steadyMs() + Math.max(0, marker.readyAtMs - nowMs);
  }

  async #time(): Promise<number> {
    const beforeMs = this.#steadyMs();
    const nowMs = await asked(() => this.#tier.store.time());
    const lowMs = nowMs - this.#steadyMs();
    const highMs = nowMs - beforeMs;
    const known = this.#offset;
    this.#offset = { lowMs, highMs };
    this.#jumped ||=
      known !== null && (highMs < known.lowMs - LARGEST_DRIFT_MS || lowMs > known.highMs + LARGEST_DRIFT_MS);
    return nowMs;
  }
}

/** Calls the ledger's server. @throws LedgerUnavailable with the server's error as its cause */
export async function asked<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new LedgerUnavailable(`the credit ledger does not answer: ${why}`, { cause: error });
  }
}
