import type { WindowRecord } from '@weir/protocol';

/**
 * Rows that one agent may have in the history for each length of a window. Windows that are settled early need several; an
 * agent that reports all the time, by mistake or on purpose, must not fill the disk or push the rows of others out.
 */
const ROWS_PER_WINDOW = 16;

/** What is known of an agent's rows. */
export interface RowAllowance {
  rows: number;
  atSteadyMs: number;
  /** The window that was seen last. */
  epoch: string;
  windowNumber: number;
  /** Windows that had no row of their own: part of the next one. */
  held: WindowRecord | null;
}

/**
 * The row to write for a window that ended; null: none now, because the window was seen before, or because there were too
 * many, in which case what it held is added to a later row. What an agent held back when it falls silent is not written.
 */
export function rowFor(
  agent: { rows: RowAllowance | null },
  record: WindowRecord,
  { steadyMs, windowMs }: { steadyMs: number; windowMs: number },
): WindowRecord | null {
  const known = agent.rows;
  if (known !== null && known.epoch === record.epoch && record.windowNumber <= known.windowNumber) return null;
  const refilled = known === null ? 0 : ((steadyMs - known.atSteadyMs) / windowMs) * ROWS_PER_WINDOW;
  const rows = Math.min(ROWS_PER_WINDOW, (known?.rows ?? ROWS_PER_WINDOW) + refilled);
  const held = known?.held ?? null;
  const whole = held === null ? record : merged(held, record);
  const writes = rows >= 1;
  agent.rows = {
    rows: writes ? rows - 1 : rows,
    atSteadyMs: steadyMs,
    epoch: record.epoch,
    windowNumber: record.windowNumber,
    held: writes ? null : whole,
  };
  return writes ? whole : null;
}

/** Two windows in a row as one. */
function merged(before: WindowRecord, after: WindowRecord): WindowRecord {
  const windowMs = before.windowMs + after.windowMs;
  const share = windowMs === 0 ? 0 : before.windowMs / windowMs;
  const mean = (a: number, b: number): number => a * share + b * (1 - share);
  return {
    ...after,
    windowMs,
    allocatedTps: mean(before.allocatedTps, after.allocatedTps),
    creditBudget: Math.min(Number.MAX_SAFE_INTEGER, before.creditBudget + after.creditBudget),
    chargedOps: Math.min(Number.MAX_SAFE_INTEGER, before.chargedOps + after.chargedOps),
    actualTps: mean(before.actualTps, after.actualTps),
    peakSecondTps: Math.max(before.peakSecondTps, after.peakSecondTps),
  };
}
