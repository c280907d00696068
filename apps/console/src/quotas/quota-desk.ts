import type { QuotaInput, QuotaStoreView, QuotaView } from '@weir/protocol';
import type { AuditedStore } from '@weir/quota-audit';
import { QuotaError, type Decision, type Quota, type Quotas } from '@weir/quota';
import type { Clock } from '../ports/clock.ts';
import type { QuotaMinute, StoredQuota, StoredQuotaStore } from '../ports/quota-catalog.ts';
import type { QuotaConnection } from '../ports/quota-connector.ts';
import { etagOf } from '../validation/etag.ts';
import { isOwnQuota, MEMORY_STORE, MEMORY_STORE_ID, OWN_QUOTA_IDS, ownQuotaInput, type OwnQuota } from './built-in.ts';
import { LiveStore } from './live-store.ts';
import { lookThrough, type LookedThrough } from './look-through.ts';
import { UsageBook, type SeenDecision } from './usage-book.ts';

/** What the desk does not do itself. */
export interface QuotaDeskParts {
  clock: Clock;
  /** Opens a store with its secrets; rejects with why not. */
  open(store: StoredQuotaStore): Promise<QuotaConnection>;
}

/** A quota that was looked through is looked through again after this, in ms. */
const LOOK_AGAIN_MS = 15_000;
const MINUTE_MS = 60_000;

interface Desked {
  stored: StoredQuota;
  book: UsageBook;
  quota: Quota | undefined;
  problem: string | null;
  looked: LookedThrough | undefined;
  looking: Promise<void> | undefined;
  /** This console changed counters since the last look began. */
  touched: boolean;
}

/** Stores that are connected, quotas defined on them, and what was decided: live state of this process. */
export class QuotaDesk {
  readonly #parts: QuotaDeskParts;
  readonly #stores = new Map<string, { stored: StoredQuotaStore; live: LiveStore }>();
  readonly #quotas = new Map<string, Desked>();
  readonly #own = new Map<OwnQuota, UsageBook>(OWN_QUOTA_IDS.map((id) => [id, new UsageBook()]));

  /** @param stores what is kept; the console's memory is there besides */
  constructor(parts: QuotaDeskParts, stores: readonly StoredQuotaStore[], quotas: readonly StoredQuota[]) {
    this.#parts = parts;
    for (const stored of quotas) this.#quotas.set(stored.definitionId, desked(stored));
    for (const stored of [MEMORY_STORE, ...stores]) this.#enter(stored);
  }

  #enter(stored: StoredQuotaStore): LiveStore {
    const live = new LiveStore(
      this.#parts.clock,
      () => this.#parts.open(stored),
      (quotas) => this.#defineAll(stored.storeId, quotas),
    );
    this.#stores.set(stored.storeId, { stored, live });
    return live;
  }

  /** Connects the stores, in the background. */
  start(): void {
    for (const { live } of this.#stores.values()) void live.start();
  }

  /** Connects a store; resolves when the first attempt is over. */
  async addStore(stored: StoredQuotaStore): Promise<void> {
    await this.#enter(stored).start();
  }

  async removeStore(storeId: string): Promise<void> {
    const found = this.#stores.get(storeId);
    this.#stores.delete(storeId);
    await found?.live.close();
  }

  #defineAll(storeId: string, quotas: Quotas): void {
    for (const each of this.#quotas.values()) if (each.stored.input.storeId === storeId) define(each, quotas);
  }

  /** Defines a quota, or defines it anew. */
  save(stored: StoredQuota): void {
    const each = this.#quotas.get(stored.definitionId) ?? desked(stored);
    const moved = each.stored.input.storeId !== stored.input.storeId || each.stored.input.quota !== stored.input.quota;
    if (moved) each.looked = undefined;
    each.stored = stored;
    this.#quotas.set(stored.definitionId, each);
    const quotas = this.#stores.get(stored.input.storeId)?.live.quotas;
    if (quotas === undefined) each.quota = undefined;
    else define(each, quotas);
  }

  remove(definitionId: string): void {
    this.#quotas.delete(definitionId);
  }

  /** Notes what one of the console's own quotas decided. */
  noteOwn(quota: OwnQuota, subject: string | null, decision: SeenDecision): void {
    this.#own.get(quota)?.note(takenOf(subject, decision), this.#parts.clock.nowMs());
  }

  /** The quota to take from; undefined: not defined, or its store was never reached. */
  quota(definitionId: string): Quota | undefined {
    return this.#quotas.get(definitionId)?.quota;
  }

  /** Notes what was decided about a take. */
  note(definitionId: string, decision: Decision): void {
    this.book(definitionId)?.note(takenOf(decision.subject, decision), this.#parts.clock.nowMs());
    this.touch(definitionId);
  }

  /** Counters of a quota were changed: what was seen of them is not true any more. */
  touch(definitionId: string): void {
    const each = this.#quotas.get(definitionId);
    if (each !== undefined) each.touched = true;
  }

  book(definitionId: string): UsageBook | undefined {
    return isOwnQuota(definitionId) ? this.#own.get(definitionId) : this.#quotas.get(definitionId)?.book;
  }

  /** What can be looked through of a store; null: nothing, or nothing now. */
  audited(storeId: string): AuditedStore | null {
    return this.#stores.get(storeId)?.live.audited ?? null;
  }

  storeName(storeId: string): string | undefined {
    return this.#stores.get(storeId)?.stored.name;
  }

  /**
   * What was seen of a quota in its store. Looks again when the last look is old or this console has taken since, one look at a time.
   * Undefined: the store cannot be looked through, or failed to.
   */
  async looked(definitionId: string): Promise<LookedThrough | undefined> {
    const each = this.#quotas.get(definitionId);
    const audited = each === undefined ? null : this.audited(each.stored.input.storeId);
    if (each === undefined || audited === null) return undefined;
    const { clock } = this.#parts;
    const stale = each.looked === undefined || each.touched || clock.nowMs() - each.looked.atMs >= LOOK_AGAIN_MS;
    if (stale && each.looking === undefined) {
      const { quota, limit } = each.stored.input;
      each.touched = false;
      each.looking = lookThrough(audited, quota, limit, () => clock.steadyMs())
        .then(
          (looked) => void (each.looked = { ...looked, atMs: clock.nowMs() }),
          () => void (each.looked = undefined),
        )
        .finally(() => void (each.looking = undefined));
    }
    await each.looking;
    return each.looked;
  }

  /** Ends the present minute; what was decided in it, to be written down. */
  endMinute(atMs: number): QuotaMinute[] {
    const books: [string, UsageBook, LookedThrough | undefined][] = [
      ...[...this.#own].map(([id, book]): [string, UsageBook, undefined] => [id, book, undefined]),
      ...[...this.#quotas].map(([id, { book, looked }]): [string, UsageBook, LookedThrough | undefined] => [
        id,
        book,
        looked,
      ]),
    ];
    return books.map(([definitionId, book, looked]) => {
      const fresh = looked !== undefined && looked.atMs > atMs - MINUTE_MS;
      return { definitionId, atMs, ...book.takeMinute(), subjectsAtLimit: fresh ? looked.atLimit : null };
    });
  }

  /** All stores, the console's memory first. */
  storeViews(): QuotaStoreView[] {
    return [...this.#stores.values()].map(({ stored, live }) => this.#storeView(stored, live));
  }

  #storeView(stored: StoredQuotaStore, live: LiveStore): QuotaStoreView {
    const { storeId, name, kind, address, username, sealedPassword, createdAtMs, createdBy } = stored;
    const profile = live.quotas?.profile;
    const builtIn = storeId === MEMORY_STORE_ID;
    const definitions = [...this.#quotas.values()].filter((each) => each.stored.input.storeId === storeId).length;
    return {
      storeId,
      name,
      kind,
      address,
      username,
      hasPassword: sealedPassword !== null,
      createdAtMs,
      createdBy,
      builtIn,
      state: live.state,
      problem: live.problem,
      profile: profile === undefined ? null : profileOf(profile),
      health: live.health,
      warnings: live.warnings,
      definitions: definitions + (builtIn ? OWN_QUOTA_IDS.length : 0),
    };
  }

  /** All quotas, the console's own last. */
  quotaViews(): QuotaView[] {
    const defined = [...this.#quotas.values()].toSorted((a, b) =>
      a.stored.input.quota < b.stored.input.quota ? -1 : 1,
    );
    return [
      ...defined.map(({ stored, book, problem }) => this.#quotaView(stored.definitionId, stored, book, problem)),
      ...[...this.#own].map(([id, book]) => {
        const stored = { version: 0, input: ownQuotaInput(id), changedAtMs: null, changedBy: 'console' };
        return this.#quotaView(id, stored, book, null);
      }),
    ];
  }

  #quotaView(
    definitionId: string,
    {
      version,
      input,
      changedAtMs,
      changedBy,
    }: Pick<StoredQuota, 'version' | 'input' | 'changedBy'> & { changedAtMs: number | null },
    book: UsageBook,
    problem: string | null,
  ): QuotaView {
    const store = this.#stores.get(input.storeId);
    const lost =
      store === undefined ? 'its store was removed' : store.live.quotas === undefined ? store.live.problem : null;
    return {
      ...input,
      definitionId,
      storeName: store?.stored.name ?? '',
      storeKind: store?.stored.kind ?? 'memory',
      builtIn: isOwnQuota(definitionId),
      changedAtMs,
      changedBy,
      ...(changedAtMs === null ? {} : { etag: etagOf({ version, changedAtMs }) }),
      takes: book.takes,
      refused: book.refused,
      refusedLastHour: book.refusedLastHour(this.#parts.clock.nowMs()),
      problem: problem ?? lost,
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#stores.values()].map(({ live }) => live.close()));
  }
}

function desked(stored: StoredQuota): Desked {
  return {
    stored,
    book: new UsageBook(),
    quota: undefined,
    problem: null,
    looked: undefined,
    looking: undefined,
    touched: false,
  };
}

function define(each: Desked, quotas: Quotas): void {
  try {
    each.quota = quotas.define(definitionOf(each.stored.input));
    each.problem = null;
  } catch (error) {
    each.quota = undefined;
    each.problem = error instanceof QuotaError ? error.message : String(error);
  }
}

/** The definition as the engine takes it. */
export function definitionOf(input: QuotaInput): Parameters<Quotas['define']>[0] {
  const { quota, limit, period, zone, outage, shadow, subjects } = input;
  return { id: quota, limit, period, zone, outage, shadow, subjects };
}

function takenOf(subject: string | null, decision: SeenDecision): Parameters<UsageBook['note']>[0] {
  const { allowed, wouldRefuse, used, limit, resetAt } = decision;
  return { subject, refused: !allowed || wouldRefuse, used, limit, resetAtMs: resetAt };
}

function profileOf(profile: Quotas['profile']): NonNullable<QuotaStoreView['profile']> {
  const { capability, mechanism, exact, atomicGroups } = profile;
  return { capability, mechanism, exact, atomicGroups };
}
