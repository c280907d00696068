import type { Counter, WaitingTake } from './counter.ts';
import type { Engine } from './engine.ts';
import { admittedOf, type PlannedDraw } from './split.ts';
import type { Drawn } from './store.ts';
import { decide, decideWithoutStore, storeSource } from './verdict.ts';

/** What the results of draws are handed out with. */
export interface Landing {
  readonly engine: Engine;
  /** Frees expired reservations of a counter; resolves to whether there is room now. */
  readonly reap: (counter: Counter) => Promise<boolean>;
  readonly enqueue: (counter: Counter) => void;
  /** Hears of a counter that holds a block. */
  readonly leased: (counter: Counter) => void;
}

/** Splits one draw's result among its takes, in the order in which they came. */
export function applyDraw(
  landing: Landing,
  counter: Counter,
  planned: PlannedDraw,
  result: Drawn | Error,
  nowMs: number,
): void {
  const { engine } = landing;
  const { kind, draw, takes } = planned;
  if (result instanceof Error) {
    if ('code' in result && result.code === 'store-corrupt') {
      engine.emit({ type: 'counter_corrupt', key: counter.key, error: result.message });
    }
    // It may have been charged: the reply is missing, not necessarily the write.
    if (kind === 'debt') counter.unknown += draw.amount;
    for (const take of takes) take.answer(decideWithoutStore(engine, counter, take, nowMs, true));
    return;
  }
  counter.heard(result.total, nowMs);
  if (result.vanished === true) {
    engine.metrics.vanished += 1;
    engine.emit({ type: 'counter_vanished', quota: counter.rules.id, subject: counter.subject, key: counter.key });
  }
  if (kind === 'run') applyRun(landing, counter, takes, result, nowMs);
  else if (kind === 'whole') applyWhole(landing, counter, takes, result, nowMs);
  else if (kind === 'block') applyBlock(landing, counter, takes, result, nowMs);
}

function applyRun(
  landing: Landing,
  counter: Counter,
  takes: readonly WaitingTake[],
  { granted, total }: Drawn,
  nowMs: number,
): void {
  const admitted = admittedOf(granted, takes[0]?.cost ?? 1);
  let used = total - granted;
  for (let index = 0; index < admitted; index++) {
    const take = takes[index];
    if (take === undefined) break;
    used += take.cost;
    admit(landing.engine, counter, take, used, nowMs);
  }
  if (admitted < takes.length) refuseOrReap(landing, counter, takes.slice(admitted), total, nowMs);
}

function applyWhole(
  landing: Landing,
  counter: Counter,
  takes: readonly WaitingTake[],
  { granted, total }: Drawn,
  nowMs: number,
): void {
  if (granted === 0) {
    // Together they do not fit; one by one some may. They stay ahead of takes that came later.
    counter.waiting = [...takes, ...counter.waiting];
    counter.splitNext = true;
    return;
  }
  let used = total - granted;
  for (const take of takes) {
    used += take.cost;
    admit(landing.engine, counter, take, used, nowMs);
  }
}

function applyBlock(
  landing: Landing,
  counter: Counter,
  takes: readonly WaitingTake[],
  { granted, total }: Drawn,
  nowMs: number,
): void {
  counter.lease += granted;
  counter.leaseUsedAtMs = nowMs;
  landing.leased(counter);
  const left: WaitingTake[] = [];
  for (const take of takes) {
    if (take.cost > counter.lease) {
      left.push(take);
      continue;
    }
    counter.lease -= take.cost;
    admit(landing.engine, counter, take, total - counter.lease, nowMs);
  }
  if (left.length > 0) refuseOrReap(landing, counter, left, total, nowMs);
}

function admit(engine: Engine, counter: Counter, take: WaitingTake, used: number, nowMs: number): void {
  const { cost, limit } = take;
  const wouldRefuse = counter.rules.shadow && used > limit;
  const verdict = {
    allowed: true,
    wouldRefuse,
    // Another server's draw that is being taken back may stand in the total; it is nobody's use.
    used: counter.rules.shadow ? used : Math.min(used, limit),
    limit,
    cost,
    source: storeSource(engine),
  };
  take.answer(decide(engine, counter, verdict, nowMs));
}

function refuseOrReap(
  landing: Landing,
  counter: Counter,
  takes: readonly WaitingTake[],
  total: number,
  nowMs: number,
): void {
  counter.refuse(total, nowMs);
  const fresh = takes.filter((take) => !take.retried);
  if (counter.rules.reservationMs === undefined || fresh.length === 0) {
    refuse(landing.engine, counter, takes, total, nowMs);
    return;
  }
  landing.reap(counter).then(
    (room) => {
      if (!room) return refuse(landing.engine, counter, takes, total, landing.engine.clock());
      for (const take of takes) take.retried = true;
      counter.reopen();
      counter.waiting = [...takes, ...counter.waiting];
      return landing.enqueue(counter);
    },
    () => refuse(landing.engine, counter, takes, total, landing.engine.clock()),
  );
}

function refuse(engine: Engine, counter: Counter, takes: readonly WaitingTake[], total: number, nowMs: number): void {
  const source = storeSource(engine);
  const used = total - counter.lease;
  for (const take of takes) {
    const { cost, limit } = take;
    take.answer(decide(engine, counter, { allowed: false, used, limit, cost, source }, nowMs));
  }
}
