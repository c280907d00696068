import { checkCost, checkOpen, knowTime, limitOf, type QuotaCore } from './core.ts';
import type { Counter } from './counter.ts';
import type { Decision } from './decision.ts';
import { deadlineAt } from './deadlines.ts';
import { QuotaError } from './errors.ts';
import { companionKey } from './keys.ts';
import { giveBackQuietly } from './late.ts';
import { countOutage, outageAdmits, OUTAGE_SOURCES } from './outage.ts';
import { sha256Hex } from './sha256.ts';
import type { Draw, GroupDrawn, Marker } from './store.ts';
import { callStore } from './store-calls.ts';
import { decide, decideWithoutStore, refuse, storeSource } from './verdict.ts';

/** One part of a group. */
export interface GroupItem {
  readonly core: QuotaCore;
  readonly subject: string;
  readonly cost: number;
}

/** The answer to a group: all parts were charged, or none. */
export interface GroupDecision {
  readonly allowed: boolean;
  /** One per part, in order. When one part refuses none is allowed; `refused` says which did. */
  readonly decisions: readonly Decision[];
  /** Indices of the parts that refused. */
  readonly refused: readonly number[];
  /** When to try again, in ms: when the last of the refusing quotas may admit; 0 when allowed. */
  readonly retryAfterMs: number;
}

/** Shortest life of the mark of an idempotent take, in ms. */
const MIN_MARKER_MS = 60_000;

/** Most parts of one group. */
const MAX_PARTS = 100;

/** Pause between two looks at a marked take that somebody else has under way, in ms. */
const PENDING_PAUSE_MS = 20;

interface Part {
  readonly core: QuotaCore;
  readonly counter: Counter;
  readonly cost: number;
  readonly limit: number;
}

/**
 * Takes from several counters, all or nothing, in one round trip.
 * @param key idempotency key: the group is charged once under it.
 * @throws {QuotaError} `idempotency-mismatch` when the key was used for another take.
 */
export async function takeGroup(items: readonly GroupItem[], key: string | undefined): Promise<GroupDecision> {
  const first = items[0];
  if (first === undefined || items.length > MAX_PARTS) {
    throw new QuotaError('invalid-argument', `a group has 1 to ${MAX_PARTS} parts, got ${items.length}`);
  }
  for (const { core, cost } of items) {
    checkCost(cost, 'a cost');
    checkOpen(core);
    if (core.engine !== first.core.engine)
      throw new QuotaError('invalid-argument', 'the quotas of a group share one store');
  }
  await Promise.all(items.map(({ core }) => knowTime(core)));
  const limits = await Promise.all(
    items.map(async ({ core, subject }) => limitOf(core, core.tracker.charged(subject))),
  );
  const parts = items.map(({ core, subject, cost }, index): Part => {
    return { core, cost, limit: limits[index] ?? 0, counter: core.tracker.at(subject, core.now()) };
  });
  const [lead] = parts;
  if (lead === undefined) throw new QuotaError('invalid-argument', 'a group has at least one part');
  // Under an idempotency key the store may remember that this was admitted, so only it may refuse.
  const local = key === undefined ? refusedLocally(parts) : undefined;
  if (local !== undefined) return local;
  const draws = drawsOf(parts);
  const marker = key === undefined ? undefined : markerOf(lead, parts, key);
  const fate: Fate = { admitted: undefined };
  try {
    const drawn = await drawGroup(lead, parts, draws, marker, fate);
    if (drawn.outcome === 'unknown') return decideGroupWithoutStore(parts, true, fate);
    if (drawn.outcome === 'replayed' && drawn.note !== marker?.note) {
      throw new QuotaError('idempotency-mismatch', 'the idempotency key was used before for another take');
    }
    return concludeGroup(parts, draws, drawn, key);
  } catch (error) {
    if (error instanceof QuotaError && (error.code === 'store-unavailable' || error.code === 'store-timeout')) {
      return decideGroupWithoutStore(parts, error.code === 'store-timeout', fate);
    }
    throw error;
  }
}

/** One draw per counter: parts on the same counter are one. */
function drawsOf(parts: readonly Part[]): Draw[] {
  const draws = new Map<string, Draw>();
  for (const { core, counter, cost, limit } of parts) {
    const same = draws.get(counter.key);
    const amount = cost + (same?.amount ?? 0);
    checkCost(amount, 'the costs of one counter together');
    const seen = counter.seen(core.engine.clock());
    const draw: Draw = {
      key: counter.key,
      amount,
      unit: amount,
      limit: core.rules.shadow ? Number.MAX_SAFE_INTEGER : Math.min(limit, same?.limit ?? limit),
      deadline: counter.period.deadline,
      ...(seen === undefined ? {} : { seen }),
    };
    draws.set(counter.key, draw);
  }
  return [...draws.values()];
}

function markerOf(lead: Part, parts: readonly Part[], key: string): Marker {
  const nowMs = lead.core.now();
  const longest = Math.max(nowMs + MIN_MARKER_MS, ...parts.map(({ counter }) => counter.period.deadline));
  // The period is not part of it: a repetition in the next period is the same take.
  const note = parts.map(({ counter, cost }) => `${counter.prefix}${cost}`).join(' ');
  return {
    key: companionKey(lead.counter.prefix, 'once', key),
    note: note.length > 200 ? sha256Hex(note) : note,
    deadline: deadlineAt(longest, nowMs),
  };
}

/** Draws; looks again while another attempt under the same key is under way. */
async function drawGroup(
  lead: Part,
  parts: readonly Part[],
  draws: readonly Draw[],
  marker: Marker | undefined,
  fate: Fate,
): Promise<GroupDrawn> {
  const { engine } = lead.core;
  const budgetMs = Math.min(...parts.map(({ core }) => core.rules.budgetMs));
  const untilMs = engine.clock() + budgetMs;
  for (;;) {
    const drawn = await callStore(
      engine,
      lead.counter.lane,
      Math.max(1, untilMs - engine.clock()),
      () => engine.store.takeAll(draws, marker),
      {
        whenLate: (reply) => returnLateGroup(parts, draws, reply, marker === undefined ? fate : { admitted: true }),
      },
    );
    engine.metrics.draws += draws.length;
    if (drawn.outcome !== 'unknown' || engine.clock() + PENDING_PAUSE_MS >= untilMs) return drawn;
    await new Promise<void>((resolve) => {
      engine.timers.set(resolve, PENDING_PAUSE_MS);
    });
  }
}

/** How a group that the store did not answer in time was decided. */
interface Fate {
  admitted: boolean | undefined;
}

/**
 * A group that was refused without the store turns out charged: it goes back. Under an idempotency key it stays, because the
 * repetition will find it.
 */
function returnLateGroup(parts: readonly Part[], draws: readonly Draw[], reply: GroupDrawn, fate: Fate): void {
  if (reply.outcome !== 'charged' || fate.admitted !== false) return;
  for (const { key, amount, deadline } of draws) {
    const part = parts.find(({ counter }) => counter.key === key);
    if (part !== undefined) giveBackQuietly(part.core.engine, part.counter, { key, amount, deadline });
  }
}

function concludeGroup(
  parts: readonly Part[],
  draws: readonly Draw[],
  drawn: GroupDrawn,
  key: string | undefined,
): GroupDecision {
  const refusing = new Set(drawn.refused.map((index) => draws[index]?.key));
  const allowed = drawn.outcome !== 'refused';
  const replayed = drawn.outcome === 'replayed';
  const decisions = parts.map(({ core, counter, cost, limit }) => {
    const { engine, rules } = core;
    const nowMs = core.now();
    const result = drawn.draws[draws.findIndex((draw) => draw.key === counter.key)];
    const total = result?.total ?? 0;
    counter.heard(total, engine.clock());
    if (refusing.has(counter.key)) counter.refuse(total, nowMs);
    if (result?.vanished === true) {
      engine.metrics.vanished += 1;
      engine.emit({ type: 'counter_vanished', quota: rules.id, subject: counter.subject, key: counter.key });
    }
    if (replayed) engine.metrics.replays += 1;
    const used = Math.max(0, total - counter.lease);
    const wouldRefuse = rules.shadow && total + (allowed ? 0 : cost) > limit;
    const charged = allowed ? cost : 0;
    const verdict = { allowed, wouldRefuse, used, limit, cost, charged, source: storeSource(engine), replayed };
    return decide(engine, counter, verdict, nowMs, key);
  });
  const refused = parts.flatMap(({ counter }, index) => (refusing.has(counter.key) ? [index] : []));
  return groupOf(decisions, refused);
}

function refusedLocally(parts: readonly Part[]): GroupDecision | undefined {
  const refused = parts.flatMap(({ core, counter, cost, limit }, index) =>
    !core.rules.shadow && (cost > limit || counter.refuses(cost, limit, core.now())) ? [index] : [],
  );
  if (refused.length === 0) return undefined;
  const decisions = parts.map((part, index) => {
    const { core, counter, cost, limit } = part;
    const source = refused.includes(index) && cost > limit ? 'rule' : 'deny-cache';
    if (source === 'deny-cache') core.engine.metrics.fromDenyCache += 1;
    const used = Math.max(0, (counter.total ?? 0) - counter.lease);
    return refuse(core.engine, counter, { cost, limit }, used, source, core.now());
  });
  return groupOf(decisions, refused);
}

function decideGroupWithoutStore(parts: readonly Part[], sent: boolean, fate: Fate): GroupDecision {
  const refused = parts.flatMap(({ core, counter, cost, limit }, index) =>
    core.rules.shadow || outageAdmits(counter, cost, limit) ? [] : [index],
  );
  fate.admitted = refused.length === 0;
  const decisions = parts.map(({ core, counter, cost, limit }) => {
    if (refused.length === 0) return decideWithoutStore(core.engine, counter, { cost, limit }, core.now(), sent);
    // Somebody refuses, so nothing is spent here either.
    const source = OUTAGE_SOURCES[core.rules.outage];
    countOutage(core.engine.metrics, core.rules.outage);
    return refuse(core.engine, counter, { cost, limit }, counter.estimate, source, core.now());
  });
  return groupOf(decisions, refused);
}

function groupOf(decisions: readonly Decision[], refused: readonly number[]): GroupDecision {
  return {
    allowed: refused.length === 0,
    decisions,
    refused,
    retryAfterMs: Math.max(0, ...refused.map((index) => decisions[index]?.retryAfterMs ?? 0)),
  };
}
