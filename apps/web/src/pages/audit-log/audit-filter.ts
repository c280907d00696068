import type { AuditFilter } from '../../data/audit-log.ts';

/** The filter while it is being typed. */
export interface FilterDraft {
  text: string;
  actor: string;
  action: string;
  /** `2026-11-30`, in the viewer's zone; empty: no bound. */
  from: string;
  to: string;
}

export const NO_FILTER: FilterDraft = { text: '', actor: '', action: '', from: '', to: '' };

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Begin of a day in the viewer's zone; `later` days after it. Undefined: it is none. */
function dayAt(text: string, later: number): number | undefined {
  const [, year, month, day] = DAY.exec(text) ?? [];
  if (year === undefined) return undefined;
  // Days are counted by the calendar: one on which clocks change has 23 or 25 hours.
  const atMs = new Date(Number(year), Number(month) - 1, Number(day) + later).getTime();
  return Number.isNaN(atMs) || atMs < 0 ? undefined : atMs;
}

/** What is asked of the console. Both days are included. */
export function filterOf(draft: FilterDraft): AuditFilter {
  const text = draft.text.trim();
  const actor = draft.actor.trim();
  const fromMs = dayAt(draft.from, 0);
  const untilMs = dayAt(draft.to, 1);
  return {
    ...(text === '' ? {} : { text }),
    ...(actor === '' ? {} : { actor }),
    ...(draft.action === '' ? {} : { action: draft.action }),
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(untilMs === undefined ? {} : { toMs: untilMs - 1 }),
  };
}
