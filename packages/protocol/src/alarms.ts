import { z } from 'zod';
import { count, id, rate, timestampMs } from './identifiers.ts';

/** One alarm from its first firing to its end. */
export const alarmView = z.object({
  alarmId: id,
  /** Rule, such as CV-TPS-001. */
  code: z.string(),
  severity: z.enum(['WARNING', 'CRITICAL']),
  title: z.string(),
  raisedAtMs: timestampMs,
  lastFiredAtMs: timestampMs,
  firings: count,
  /** Highest value seen, in percent for CV-TPS-001. */
  peakValue: rate,
  threshold: rate,
  endedAtMs: timestampMs.nullable(),
  /** `cleared`: fell below the clear level · `expired`: ten minutes after the last firing. */
  endedBy: z.enum(['cleared', 'expired']).nullable(),
  acknowledgedBy: z.string().nullable(),
  acknowledgedAtMs: timestampMs.nullable(),
});
export type AlarmView = z.infer<typeof alarmView>;
export const alarmList = z.object({ alarms: z.array(alarmView) });
