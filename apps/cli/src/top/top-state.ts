import type { MonitorRow } from '@weir/protocol';

/** Columns that sort, in the order in which `s` goes through them. */
export const SORT_KEYS = ['name', 'status', 'allocated', 'actual', 'efficiency', 'mbps'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** What the person at the terminal has chosen. */
export interface TopState {
  sort: SortKey;
  /** First agent shown, from 0. */
  offset: number;
}

/** What a key asks for, beside changes of the state. */
export type TopRequest = 'quit' | 'refresh' | null;

const ESCAPE_SEQUENCE_START = '\u001b[';

/** Keys that came in one piece: a sequence that begins with an escape is one key, everything else a key a character. */
export function splitKeys(text: string): string[] {
  const keys: string[] = [];
  let rest = text;
  while (rest !== '') {
    const sequence = rest.startsWith(ESCAPE_SEQUENCE_START) ? /^[\d;]*[A-Za-z~]/.exec(rest.slice(2)) : null;
    const key = sequence === null ? (Array.from(rest)[0] ?? '') : ESCAPE_SEQUENCE_START + sequence[0];
    keys.push(key);
    rest = rest.slice(key.length);
  }
  return keys;
}

/** Names of keys by what terminals send. */
const SCROLLS: Readonly<Record<string, (offset: number, page: number) => number>> = {
  '\u001b[A': (offset) => offset - 1,
  '\u001b[B': (offset) => offset + 1,
  k: (offset) => offset - 1,
  j: (offset) => offset + 1,
  '\u001b[5~': (offset, page) => offset - page,
  '\u001b[6~': (offset, page) => offset + page,
  ' ': (offset, page) => offset + page,
  '\u001b[H': () => 0,
  '\u001b[1~': () => 0,
  '\u001b[F': () => Number.MAX_SAFE_INTEGER,
  '\u001b[4~': () => Number.MAX_SAFE_INTEGER,
};

/**
 * Takes a key.
 * @param agents rows in all
 * @param page rows that fit on the screen, ≥ 1
 */
export function pressKey(
  state: TopState,
  key: string,
  agents: number,
  page: number,
): { state: TopState; request: TopRequest } {
  if (key === 'q' || key === 'Q' || key === '\u0003' || key === '\u0004') return { state, request: 'quit' };
  if (key === 'r') return { state, request: 'refresh' };
  if (key === 's' || key === 'S') {
    const step = key === 's' ? 1 : SORT_KEYS.length - 1;
    const sort = SORT_KEYS[(SORT_KEYS.indexOf(state.sort) + step) % SORT_KEYS.length] ?? 'name';
    return { state: { sort, offset: 0 }, request: null };
  }
  const scroll = SCROLLS[key];
  if (scroll === undefined) return { state, request: null };
  return { state: { ...state, offset: clampOffset(scroll(state.offset, page), agents, page) }, request: null };
}

/** The nearest offset that leaves no empty room below the last row. */
export function clampOffset(offset: number, agents: number, page: number): number {
  return Math.max(0, Math.min(offset, agents - page));
}

/** Agents in the chosen order, figures from the largest down; the console's own row last. */
export function sortRows(rows: readonly MonitorRow[], sort: SortKey): MonitorRow[] {
  const figure = (row: MonitorRow): number => {
    switch (sort) {
      case 'name':
        return 0;
      case 'status':
        return row.holdoffUntilMs !== null ? 3 : row.status === 'running' ? 2 : row.online ? 1 : 0;
      case 'allocated':
        return row.allocatedTps;
      case 'actual':
        return row.actualTps;
      case 'efficiency':
        return row.efficiencyPercent ?? -1;
      case 'mbps':
        return row.actualMbps;
      default:
        return sort satisfies never;
    }
  };
  return [...rows].sort(
    (a, b) =>
      Number(a.kind === 'console') - Number(b.kind === 'console') ||
      figure(b) - figure(a) ||
      a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
}
