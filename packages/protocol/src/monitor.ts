import { z } from 'zod';
import { alarmView } from './alarms.ts';
import { count, id, rate, timestampMs } from './identifiers.ts';

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
  limitTps: z.array(rate.nullable()),
  totalTps: z.array(rate.nullable()),
  agents: z.array(z.object({ agentId: id, name: z.string(), actualTps: z.array(rate.nullable()) })),
});
export type MonitorSeries = z.infer<typeof monitorSeries>;

export const monitorView = z.object({
  generatedAtMs: timestampMs,
  windowSeconds: z.number().positive(),
  limiterEnabled: z.boolean(),
  globalLimitTps: count,
  totalActualTps: rate,
  utilizationPercent: rate,
  totalMbps: rate,
  runningAgents: count,
  registeredAgents: count,
  rows: z.array(monitorRow),
  series: monitorSeries,
  activeAlarms: z.array(alarmView),
});
export type MonitorView = z.infer<typeof monitorView>;

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
