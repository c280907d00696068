import { z } from 'zod';
import { alarmView } from './alarms.ts';
import { count, id, rate, timestampMs } from './identifiers.ts';
import { MAX_MONITOR_ROWS, MAX_SEARCH_CHARACTERS } from './limits.ts';

/** One row of the per-agent table. The row `console` is always there: idle, 0, without a share. */
export const monitorRow = z.object({
  agentId: id,
  name: z.string(),
  kind: z.enum(['agent', 'console']),
  status: z.enum(['running', 'idle']),
  online: z.boolean(),
  /** False for an agent that does not speak the limiter: it runs unthrottled. */
  throttled: z.boolean(),
  allocatedTps: rate,
  actualTps: rate,
  meanTps: rate,
  peakSecondTps: rate,
  /** `actualTps ÷ allocatedTps × 100`; null without an allocation. */
  efficiencyPercent: rate.nullable(),
  actualMbps: rate,
  parkedOps: count,
  exhaustedMs: count,
  windowNumber: count,
  creditBudget: count,
  chargedOps: count,
  lastHeartbeatAtMs: timestampMs.nullable(),
  holdoffUntilMs: timestampMs.nullable(),
});
export type MonitorRow = z.infer<typeof monitorRow>;

/** Columns of the chart; all arrays have one entry per sampled point, oldest first. */
export const monitorSeries = z.object({
  atMs: z.array(timestampMs),
  /** The limit that the windows of the point ran under, the lowest of a longer point; null: the limiter was off. */
  limitTps: z.array(rate.nullable()),
  /** The limit that was set or scheduled for them: above the other one while a cluster asked for less. */
  setLimitTps: z.array(rate.nullable()),
  totalTps: z.array(rate.nullable()),
  /** Highest sampled total within the point; the same as `totalTps` where a point is one sample. */
  peakTps: z.array(rate.nullable()),
  /** The busiest agents; what the total has beyond them belongs to the others. */
  agents: z.array(z.object({ agentId: id, name: z.string(), actualTps: z.array(rate.nullable()) })),
  /** Agents that the total is of, with or without a column here. */
  agentCount: count,
});
export type MonitorSeries = z.infer<typeof monitorSeries>;

/** How many agents did something at once, and the names of the first of them (five at most). */
const severalAgents = { agents: count, names: z.array(z.string()) };

/** Something that happened to the fleet, as the chart marks it. */
export const monitorEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('limit-changed'), atMs: timestampMs, fromTps: rate, toTps: rate }),
  z.object({ kind: z.literal('limiter-switched'), atMs: timestampMs, on: z.boolean() }),
  z.object({
    kind: z.literal('alarm-raised'),
    atMs: timestampMs,
    code: z.string(),
    title: z.string(),
    threshold: rate,
  }),
  z.object({
    kind: z.literal('alarm-ended'),
    atMs: timestampMs,
    code: z.string(),
    title: z.string(),
    peakValue: rate,
    endedBy: z.enum(['cleared', 'expired']),
  }),
  z.object({ kind: z.literal('holdoff'), atMs: timestampMs, ...severalAgents, longestMs: count }),
  z.object({ kind: z.literal('agents-joined'), atMs: timestampMs, ...severalAgents }),
  z.object({ kind: z.literal('agents-left'), atMs: timestampMs, ...severalAgents }),
  z.object({ kind: z.literal('console-started'), atMs: timestampMs }),
]);
export type MonitorEvent = z.infer<typeof monitorEvent>;

/** Which rows the monitor lists. */
export const monitorQuery = z.object({
  /** Only agents whose name contains this, whatever its case. */
  name: z.string().max(MAX_SEARCH_CHARACTERS).optional(),
  rows: z.coerce.number().int().min(1).max(MAX_MONITOR_ROWS).default(MAX_MONITOR_ROWS),
});

export const monitorView = z.object({
  generatedAtMs: timestampMs,
  windowSeconds: z.number().positive(),
  limiterEnabled: z.boolean(),
  globalLimitTps: count,
  /** The limit that the reported windows ran under: for two windows after a change it may still be the one before. */
  judgedLimitTps: rate,
  totalActualTps: rate,
  /** `totalActualTps ÷ judgedLimitTps × 100`. */
  utilizationPercent: rate,
  totalMbps: rate,
  runningAgents: count,
  registeredAgents: count,
  holdoffAgents: count,
  unthrottledAgents: count,
  /** Agents that match the query; `rows` holds the busiest of them where they are more than it may list. */
  matchingAgents: count,
  rows: z.array(monitorRow),
  series: monitorSeries,
  /** What happened in the time of the series, oldest first. */
  events: z.array(monitorEvent),
  activeAlarms: z.array(alarmView),
});
export type MonitorView = z.infer<typeof monitorView>;

/** Ranges of the history that is sampled down, with the length of one point in ms and the number of points. */
export const HISTORY_RANGES = {
  '6h': { bucketMs: 120_000, points: 180 },
  '24h': { bucketMs: 600_000, points: 144 },
  '7d': { bucketMs: 3_600_000, points: 168 },
} as const;
export const historyRange = z.enum(['6h', '24h', '7d']);
export type HistoryRange = z.infer<typeof historyRange>;
export const historyQuery = z.object({ range: historyRange });

/** The fleet over hours or days. Where samples are missing, points are null. */
export const monitorHistory = z.object({
  range: historyRange,
  bucketSeconds: z.number().positive(),
  series: monitorSeries,
  events: z.array(monitorEvent),
});
export type MonitorHistoryView = z.infer<typeof monitorHistory>;

/** One finished window of one agent: what was granted and what was charged against it. */
export const windowRecord = z.object({
  agentId: id,
  epoch: id,
  windowNumber: count,
  endedAtMs: timestampMs,
  windowMs: count,
  allocatedTps: rate,
  creditBudget: count,
  chargedOps: count,
  actualTps: rate,
  peakSecondTps: rate,
});
export type WindowRecord = z.infer<typeof windowRecord>;
export const windowRecordList = z.object({ windows: z.array(windowRecord) });
