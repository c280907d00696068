import { formatPeriodId } from './period-ids.ts';
import { CLOCK_UNIT_MS, type Block, type PeriodLength } from './period-lengths.ts';
import { firstInstantAt, transitionBetween, type Zone } from './zones.ts';

/** One period: from `startMs` up to and excluding `endMs`, in ms since 1970. */
export interface Period {
  /** Spelled out, `2026-11-30T14:05`; the same on every server, different for every period of a quota. */
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
}

const DAY_MS = 86_400_000;

/**
 * The period that contains `atMs`. Pure and cheap in UTC (no allocation but the result); in other zones some microseconds, so
 * callers keep the result until `endMs`.
 *
 * Days, weeks and months run from local midnight to local midnight: 23 or 25 hours where clocks change. Shorter periods
 * follow the wall clock: a stretch that the clock repeats lengthens the period when it is shorter than one, otherwise it is
 * periods of its own.
 */
export function periodAt(length: PeriodLength, zone: Zone, atMs: number): Period {
  const unitMs = CLOCK_UNIT_MS[length.unit];
  const found =
    unitMs === undefined ? calendarPeriod(length, zone, atMs) : clockPeriod(unitMs * length.count, zone, atMs);
  return { id: formatPeriodId(length, zone.utc, found), startMs: found.startMs, endMs: found.endMs };
}

function calendarPeriod(length: PeriodLength, zone: Zone, atMs: number): Block {
  let block = blockOf(length, atMs + zone.offsetAt(atMs));
  for (;;) {
    const endMs = firstInstantAt(zone, wallOf(length, block + 1));
    // Where clocks went back across midnight the old date shows again; those instants belong to the new day.
    if (atMs < endMs) {
      const nominalMs = wallOf(length, block);
      return { nominalMs, startMs: firstInstantAt(zone, nominalMs), endMs };
    }
    block += 1;
  }
}

/** Number of the block of `count` units that holds a wall-clock reading. */
function blockOf({ unit, count }: PeriodLength, wallMs: number): number {
  const day = Math.floor(wallMs / DAY_MS);
  if (unit === 'day') return Math.floor(day / count);
  // 1970-01-01 was a Thursday: the Monday before it is day -3.
  if (unit === 'week') return Math.floor(Math.floor((day + 3) / 7) / count);
  const date = new Date(wallMs);
  return Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / count);
}

/** Wall-clock reading at the start of a block. */
function wallOf({ unit, count }: PeriodLength, block: number): number {
  if (unit === 'day') return block * count * DAY_MS;
  if (unit === 'week') return (block * count * 7 - 3) * DAY_MS;
  const month = block * count;
  return Date.UTC(Math.floor(month / 12), month - Math.floor(month / 12) * 12, 1);
}

function clockPeriod(lengthMs: number, zone: Zone, atMs: number): Block {
  const offset = zone.offsetAt(atMs);
  const block = Math.floor((atMs + offset) / lengthMs);
  const nominalMs = block * lengthMs;
  let startMs = nominalMs - offset;
  let endMs = startMs + lengthMs;
  if (zone.utc) return { nominalMs, startMs, endMs };
  const before = zone.offsetAt(startMs - 1);
  if (before !== offset) {
    const changeMs = transitionBetween(zone, startMs - 1, atMs);
    const same = Math.floor((changeMs - 1 + before) / lengthMs) === block && Math.abs(before - offset) < lengthMs;
    startMs = same ? nominalMs - before : Math.max(startMs, changeMs);
  }
  const after = zone.offsetAt(endMs);
  if (after !== offset) {
    const changeMs = transitionBetween(zone, atMs, endMs);
    const same = Math.floor((changeMs + after) / lengthMs) === block && Math.abs(after - offset) < lengthMs;
    endMs = same ? nominalMs + lengthMs - after : Math.min(endMs, changeMs);
  }
  return { nominalMs, startMs, endMs };
}
