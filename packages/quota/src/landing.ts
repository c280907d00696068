import type { Counter, WaitingTake } from './counter.ts';
import type { Engine } from './engine.ts';
import { admittedOf, type PlannedDraw } from './split.ts';
import type { Drawn } from './store.ts';
import { admit, decideWithoutStore, refuse, storeSource } from './verdict.ts';

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
export function applyDraw(landing: Landing, planned: PlannedDraw, result: Drawn | Error, nowMs: number): void {
  const { engine } = landing;
  const { kind, counter, draw, takes } = planned;
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
  if (kind === 'run') applyRun(landing, planned, result, nowMs);
  else if (kind === 'whole') applyWhole(landing, planned, result, nowMs);
  else if (kind === 'block') applyBlock(landing, planned, result, nowMs);
}

function applyRun(landing: Landing, { counter, takes }: PlannedDraw, { granted, total }: Drawn, nowMs: number): void {
  const source = storeSource(landing.engine);
  const admitted = admittedOf(granted, takes[0]?.cost ?? 1);
  let used = total - granted;
  for (let index = 0; index < admitted; index++) {
    const take = takes[index];
    if (take === undefined) break;
    used += take.cost;
    take.answer(admit(landing.engine, counter, take, used, source, nowMs));
  }
  if (admitted < takes.length) refuseOrReap(landing, counter, takes.slice(admitted), total, nowMs);
}

function applyWhole(landing: Landing, { counter, takes }: PlannedDraw, { granted, total }: Drawn, nowMs: number): void {
  if (granted === 0) {
    // Together they do not fit; one by one some may. They stay ahead of takes that came later.
    counter.waiting = [...takes, ...counter.waiting];
    counter.splitNext = true;
    return;
  }
  const source = storeSource(landing.engine);
  let used = total - granted;
  for (const take of takes) {
    used += take.cost;
    take.answer(admit(landing.engine, counter, take, used, source, nowMs));
  }
}

function applyBlock(landing: Landing, { counter, takes }: PlannedDraw, { granted, total }: Drawn, nowMs: number): void {
  const source = storeSource(landing.engine);
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
    take.answer(admit(landing.engine, counter, take, total - counter.lease, source, nowMs));
  }
  if (left.length > 0) refuseOrReap(landing, counter, left, total, nowMs);
}

function refuseOrReap(
  landing: Landing,
  counter: Counter,
  takes: readonly WaitingTake[],
  total: number,
  nowMs: number,
): void {
  counter.refuse(total, nowMs);
  const fresh = takes.some((take) => !take.retried);
  if (counter.rules.reservationMs === undefined || !fresh) {
    refuseAll(landing.engine, counter, takes, total, nowMs);
    return;
  }
  landing.reap(counter).then(
    (room) => {
      if (!room) return refuseAll(landing.engine, counter, takes, total, landing.engine.clock());
      for (const take of takes) take.retried = true;
      counter.reopen();
      counter.waiting = [...takes, ...counter.waiting];
      return landing.enqueue(counter);
    },
    () => refuseAll(landing.engine, counter, takes, total, landing.engine.clock()),
  );
}

function refuseAll(
  engine: Engine,
  counter: Counter,
  takes: readonly WaitingTake[],
  total: number,
  nowMs: number,
): void {
  const source = storeSource(engine);
  for (const take of takes) take.answer(refuse(engine, counter, take, total - counter.lease, source, nowMs));
}
