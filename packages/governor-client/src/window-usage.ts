import type { WindowReport } from '@weir/governor';
import type { WindowUsage } from '@weir/protocol';

/** A window's report as it travels. `recentTps`: the rate of its last seconds, when that is news. */
export function usageOf(
  report: WindowReport,
  bytes: { bytesRead: number; bytesWritten: number },
  recentTps?: number,
): WindowUsage {
  const { pacedMs, ...rest } = report;
  const paced = Math.round(pacedMs);
  return {
    ...rest,
    windowMs: Math.round(report.windowMs),
    exhaustedMs: Math.round(report.exhaustedMs),
    // Absent when nothing waited for a slot: a console that does not know the field never sees it then.
    ...(paced > 0 && { pacedMs: paced }),
    ...(recentTps !== undefined && { recentTps }),
    bytesRead: bytes.bytesRead,
    bytesWritten: bytes.bytesWritten,
  };
}
