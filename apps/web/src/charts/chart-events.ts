import type { MonitorEvent } from '@weir/protocol';

/** Marks that stand apart at most: closer ones share a mark, so that they can be told apart and hit on a phone too. */
const MARK_SLOTS = 40;

/** What a mark is about when it stands for several events: the first of these. */
const TELLING: readonly MonitorEvent['kind'][] = [
  'alarm-raised',
  'limit-changed',
  'limiter-switched',
  'holdoff',
  'alarm-ended',
  'console-started',
  'agents-left',
  'agents-joined',
];

/** One mark above the plot: one event, or several that are close together. */
export interface EventMark {
  /** Place from 0 (left end of the plot) to 1. */
  share: number;
  /** Kind of the most telling event. */
  kind: MonitorEvent['kind'];
  /** Oldest first; at least one. */
  events: readonly MonitorEvent[];
}

/**
 * Places events on the time axis. Events before it have no mark; what happened since the last point stands at the end.
 * @param rangeSeconds ends of the axis, in seconds since 1970
 */
export function eventMarks(events: readonly MonitorEvent[], rangeSeconds: readonly [number, number]): EventMark[] {
  const [from, to] = rangeSeconds;
  const shareOf = ({ atMs }: MonitorEvent): number => Math.min(1, (atMs / 1_000 - from) / (to - from));
  const slots = new Map<number, MonitorEvent[]>();
  const placed = events.map((event) => ({ event, share: shareOf(event) })).filter(({ share }) => share >= 0);
  for (const { event, share } of placed) {
    const slot = Math.min(MARK_SLOTS - 1, Math.floor(share * MARK_SLOTS));
    slots.set(slot, [...(slots.get(slot) ?? []), event]);
  }
  return [...slots.values()].map((together) => {
    const kind = TELLING.find((one) => together.some((event) => event.kind === one)) ?? 'console-started';
    const telling = together.find((event) => event.kind === kind);
    return { share: telling === undefined ? 1 : shareOf(telling), kind, events: together };
  });
}

/** Events between a point and the one before it; of the last point also what happened since. */
export function eventsAt(
  events: readonly MonitorEvent[],
  seconds: readonly (number | null)[],
  index: number,
): readonly MonitorEvent[] {
  const end = seconds[index] ?? 0;
  const step = end - (seconds[index - 1] ?? end);
  const isLast = index === seconds.length - 1;
  return events.filter(({ atMs }) => atMs / 1_000 > end - step && (isLast || atMs / 1_000 <= end));
}
