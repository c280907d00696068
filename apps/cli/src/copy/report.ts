import type { CopyCounters, CopyFailure, ManifestState } from '@weir/s3-copy';
import { formatBytes, formatCount, formatDuration } from '../output/figures.ts';
import type { SessionEnd, SessionProgress } from './copy-session.ts';
import type { Rates } from './rate-meter.ts';

/** Result of a copy, as `--json` prints it. */
export interface CopyReport {
  readonly state: SessionEnd['type'];
  readonly source: string;
  readonly target: string;
  readonly mode: string;
  readonly dryRun: boolean;
  readonly counters: CopyCounters;
  readonly tookMs: number;
  readonly objectsPerSecond: number;
  readonly bytesPerSecond: number;
  readonly tpsLimit: number | null;
  /** Cost model of `chargedOps` and of the limit. */
  readonly costs: 'per-object' | 'per-request';
  readonly chargedOps: number;
  readonly holdoffs: number;
  readonly error: { code: string; message: string } | null;
  /** The first of them; `--failed` has all. */
  readonly failures: readonly CopyFailure[];
  /** Chain over every object that is done, in the order of the listing. */
  readonly manifest: ManifestState;
}

/** Failures that a report shows. */
export const SHOWN_FAILURES = 20;

/** Objects that need nothing more. */
export function objectsDone(counters: CopyCounters): number {
  return counters.objectsCopied + counters.objectsSkipped + counters.objectsFailed;
}

/** One line of progress; the bar, and what it leaves over, come after it. */
export function progressLabel(
  { counters, holdoffMs, trouble }: SessionProgress,
  rates: Rates,
  about: { total: number | null; parkedOps: number; tpsLimit: number | null; etaMs: number | null },
): string {
  const { total, parkedOps, tpsLimit, etaMs } = about;
  const done = formatCount(objectsDone(counters));
  const parts = [
    total === null ? `${done} objects` : `${done}/${formatCount(total)} objects`,
    `${formatCount(rates.objectsPerSecond)}/s`,
    `${formatBytes(rates.bytesPerSecond)}/s`,
    `TPS ${formatCount(rates.tps)}${tpsLimit === null ? '' : `/${formatCount(tpsLimit)}`}`,
  ];
  if (tpsLimit !== null) parts.push(`${formatCount(parkedOps)} parked`);
  if (counters.objectsFailed > 0) parts.push(`${formatCount(counters.objectsFailed)} failed`);
  if (holdoffMs !== null) parts.push(`SlowDown: paused for ${formatDuration(holdoffMs)}`);
  else if (trouble !== null) parts.push(`waiting: ${trouble}`);
  else if (etaMs !== null) parts.push(`ETA ${formatDuration(etaMs)}`);
  return parts.join('  ');
}

/** The result in words: one line, and the first failures below it. */
export function reportLines(
  report: CopyReport,
  hints: { failedFile: string | null; resumeFile: string | null },
): string[] {
  const { counters, tookMs } = report;
  const figures = [
    `${formatCount(counters.objectsCopied)} objects (${formatBytes(counters.bytesCopied)}) ${report.dryRun ? 'would be copied' : 'copied'}`,
    ...(counters.objectsSkipped > 0 ? [`${formatCount(counters.objectsSkipped)} skipped`] : []),
    ...(counters.objectsExcluded > 0 ? [`${formatCount(counters.objectsExcluded)} left out by filters`] : []),
    ...(counters.objectsFailed > 0 ? [`${formatCount(counters.objectsFailed)} failed`] : []),
    `in ${formatDuration(tookMs)}`,
    `${formatCount(report.objectsPerSecond)}/s`,
    `${formatBytes(report.bytesPerSecond)}/s`,
    ...(report.holdoffs > 0 ? [`paused ${formatCount(report.holdoffs)} × after SlowDown`] : []),
  ];
  const lines = [`${HEADINGS[report.state]}: ${figures.join(', ')}.`];
  for (const { key, code, message, requestId } of report.failures) {
    lines.push(`  ${JSON.stringify(key)}: ${code}: ${message}${requestId === null ? '' : ` [request ${requestId}]`}`);
  }
  const more = counters.objectsFailed - report.failures.length;
  if (more > 0) lines.push(`  … and ${formatCount(more)} more`);
  const hint = hintOf(report, hints);
  if (hint !== null) lines.push(hint);
  return lines;
}

const HEADINGS: Readonly<Record<SessionEnd['type'], string>> = {
  completed: 'Done',
  interrupted: 'Interrupted',
  'too-many-failures': 'Given up: too many objects failed',
  failed: 'Given up',
};

function hintOf(
  report: CopyReport,
  { failedFile, resumeFile }: { failedFile: string | null; resumeFile: string | null },
): string | null {
  const unfinished = report.state !== 'completed';
  if (resumeFile !== null && (unfinished || report.counters.objectsFailed > 0)) {
    return `Run the same command again to ${unfinished ? 'go on where it ended' : 'try these again'}.`;
  }
  if (unfinished && !report.dryRun)
    return 'Run it again with --mode target-skip --check listing to copy what is missing.';
  if (report.counters.objectsFailed > 0) {
    return failedFile === null
      ? 'With --failed FILE they are written to a file, and --retry FILE copies them again.'
      : `To try these again: the same command with --retry ${failedFile}`;
  }
  return null;
}
