import type { Counter, WaitingTake } from './counter.ts';
import type { Engine } from './engine.ts';
import type { PlannedDraw } from './split.ts';
import type { Drawn, Return } from './store.ts';
import { settled } from './store-calls.ts';

/**
 * The store answered after its takes had been decided without it. What it granted beyond what was then admitted goes back, so
 * that a refused take spends nothing; what was admitted beyond it is owed. Where no answer ever comes nothing is given
 * back: it is not known whether the store charged it, and the limit comes first.
 */
export function returnLate(
  engine: Engine,
  planned: PlannedDraw,
  admitted: ReadonlySet<WaitingTake>,
  result: Drawn | Error,
): void {
  const { kind, counter, draw, takes } = planned;
  if (result instanceof Error) return;
  counter.heard(result.total, engine.clock());
  if (kind === 'debt') return;
  let spent = 0;
  for (const take of takes) if (admitted.has(take)) spent += take.cost;
  const surplus = result.granted - spent;
  if (surplus > 0) giveBackQuietly(engine, counter, { key: counter.key, amount: surplus, deadline: draw.deadline });
  else counter.owed -= surplus;
}

/** Gives back in the background; a failure leaves the amount spent, on the safe side of the limit. */
export function giveBackQuietly(engine: Engine, counter: Counter, back: Return): void {
  settled(() => engine.store.giveBack([back])).then(
    () => {
      engine.metrics.lateReturned += back.amount;
      counter.reopen();
    },
    () => undefined,
  );
}
