import type { Counter, Lane } from './counter.ts';

/*
 * Which counters may travel to the store together: those of one lane and one budget whose takes have waited about as long. The age
 * of a take is counted in eighths of its budget, so that the oldest of a batch cuts the budget of the others by one at most.
 */

const STEPS = 8;

/** Counters that may travel together, by lane and by budget and age. */
type Company = ReadonlyMap<Lane, ReadonlyMap<number, readonly [Counter, ...Counter[]]>>;

/** Sorts counters with waiting takes. Their order stays within each list. */
export function companyOf(counters: readonly Counter[], nowMs: number): Company {
  const groups = new Map<Lane, Map<number, [Counter, ...Counter[]]>>();
  for (const counter of counters) {
    const { lane, rules, waiting } = counter;
    const age = nowMs - (waiting[0]?.atMs ?? nowMs);
    const step = Math.min(STEPS, Math.max(0, Math.floor((age * STEPS) / rules.budgetMs)));
    const alike = rules.budgetMs * (STEPS + 1) + step;
    let lists = groups.get(lane);
    if (lists === undefined) groups.set(lane, (lists = new Map<number, [Counter, ...Counter[]]>()));
    const list = lists.get(alike);
    if (list === undefined) lists.set(alike, [counter]);
    else list.push(counter);
  }
  return groups;
}

/** When the first take of a counter will have waited for long, in ms: an eighth of its budget. */
export function pressingAtMs({ waiting: [first], rules }: Counter): number {
  return first === undefined ? Number.POSITIVE_INFINITY : first.atMs + rules.budgetMs / STEPS;
}
