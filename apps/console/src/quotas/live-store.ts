import type { DeadlineHealth, StoreWarning } from '@weir/protocol';
import { assessHealth, MAX_SKEW_MS, openQuotas, type QuotaEvent, type Quotas, type StoreHealth } from '@weir/quota';
import type { AuditedStore } from '@weir/quota-audit';
import type { Clock, Timer } from '../ports/clock.ts';
import type { QuotaConnection } from '../ports/quota-connector.ts';
import { engineTimers } from './connector.ts';

/** Pause between two looks at a store's health, in ms. */
const LOOK_MS = 30_000;
/** Pauses between attempts to connect, in ms. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** How long a vanished or corrupt counter is worth a warning, in ms. */
const RECENT_MS = 3_600_000;

/**
 * One store as this console holds it.
 *
 *   connecting ── opened ──▶ up ⇄ down        (the connection comes back by itself)
 *   connecting ── cannot be opened ──▶ down ── later ──▶ connecting
 */
export class LiveStore {
  state: 'connecting' | 'up' | 'down' = 'connecting';
  problem: string | null = null;
  quotas: Quotas | undefined;
  readonly #clock: Clock;
  readonly #open: () => Promise<QuotaConnection>;
  readonly #onOpen: (quotas: Quotas) => void;
  #connection: QuotaConnection | undefined;
  #timer: Timer | undefined;
  #closed = false;
  #failures = 0;
  #health: { at: number; health: StoreHealth } | undefined;
  #restarts = 0;
  #skewed = false;
  readonly #lastSeen = new Map<QuotaEvent['type'], number>();

  /** @param onOpen defines what is to be counted there */
  constructor(clock: Clock, open: () => Promise<QuotaConnection>, onOpen: (quotas: Quotas) => void) {
    this.#clock = clock;
    this.#open = open;
    this.#onOpen = onOpen;
  }

  /** Connects, now and again until it succeeds. Never rejects. */
  async start(): Promise<void> {
    if (this.#closed) return;
    try {
      const connection = await this.#open();
      if (this.#isClosed()) {
        await connection.close();
        return;
      }
      this.#connection = connection;
      this.quotas = openQuotas({
        store: connection.store,
        clock: () => this.#clock.nowMs(),
        timers: engineTimers(this.#clock),
        healthEveryMs: 0,
        onEvent: (event) => this.#hear(event),
      });
      await this.quotas.ready();
      this.#up();
      this.#onOpen(this.quotas);
      await this.#look();
    } catch (error) {
      await this.#failed(error);
    }
  }

  #isClosed(): boolean {
    return this.#closed;
  }

  async #failed(error: unknown): Promise<void> {
    this.#down(error instanceof Error ? error.message || error.name : String(error));
    await this.#release();
    const pauseMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    if (!this.#closed) this.#timer = this.#clock.after(pauseMs, () => void this.start());
  }

  #up(): void {
    this.state = 'up';
    this.problem = null;
    this.#failures = 0;
  }

  #down(problem: string): void {
    this.state = 'down';
    this.problem = problem.slice(0, 300);
  }

  #hear(event: QuotaEvent): void {
    this.#lastSeen.set(event.type, this.#clock.nowMs());
    if (event.type === 'store_down') this.#down(event.error);
    if (event.type === 'store_up') this.#up();
  }

  /** Looks at the store's health, now and from then on. */
  async #look(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || this.#closed) return;
    try {
      const health = await connection.store.health();
      const events = assessHealth(this.#health?.health, health);
      this.#restarts += events.filter(({ type }) => type === 'store_restarted').length;
      const storeMs = await connection.store.time().catch(() => undefined);
      this.#skewed = storeMs !== undefined && Math.abs(storeMs - this.#clock.nowMs()) > MAX_SKEW_MS;
      this.#health = { at: this.#clock.nowMs(), health };
      this.#up();
    } catch (error) {
      this.#down(error instanceof Error ? error.message : String(error));
    }
    if (!this.#isClosed()) this.#timer = this.#clock.after(LOOK_MS, () => void this.#look());
  }

  /** What can be listed; null: nothing, or nothing now. */
  get audited(): AuditedStore | null {
    return this.#connection?.audited ?? null;
  }

  /** What the last look found; null before the first. */
  get health(): DeadlineHealth | null {
    if (this.#health === undefined) return null;
    const { at, health } = this.#health;
    return {
      lookedAtMs: at,
      undated: health.undated ?? null,
      entries: health.entries ?? null,
      evictionPolicy: health.evictionPolicy ?? null,
      evicted: health.evicted ?? null,
      usedBytes: health.usedBytes ?? null,
      maxBytes: health.maxBytes ?? null,
      restarts: this.#restarts,
    };
  }

  /** What an operator should look at. */
  get warnings(): StoreWarning[] {
    const { health } = this;
    const policy = health?.evictionPolicy ?? null;
    const recent = (type: QuotaEvent['type']): boolean =>
      this.#clock.nowMs() - (this.#lastSeen.get(type) ?? Number.NEGATIVE_INFINITY) < RECENT_MS;
    const found: [StoreWarning, boolean][] = [
      ['undated-entries', (health?.undated ?? 0) > 0],
      ['eviction-policy-unsafe', policy !== null && policy !== 'noeviction'],
      ['entries-evicted', (health?.evicted ?? 0) > 0],
      ['store-restarted', this.#restarts > 0],
      ['clock-skewed', this.#skewed],
      ['counter-vanished', recent('counter_vanished')],
      ['counter-corrupt', recent('counter_corrupt')],
    ];
    return found.flatMap(([warning, holds]) => (holds ? [warning] : []));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#release();
  }

  async #release(): Promise<void> {
    const { quotas } = this;
    const connection = this.#connection;
    this.quotas = undefined;
    this.#connection = undefined;
    // Giving blocks back may fail while the store is away; the connection is closed all the same.
    await quotas?.close().catch(() => undefined);
    await connection?.close();
  }
}
