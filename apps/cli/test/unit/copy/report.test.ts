import { emptyCounters, EMPTY_MANIFEST } from '@weir/s3-copy';
import { describe, expect, it } from 'vitest';
import { progressLabel, reportLines, type CopyReport } from '../../../src/copy/report.ts';

const rates = { objectsPerSecond: 123.4, bytesPerSecond: 2_097_152, tps: 480 };
const progress = {
  counters: { ...emptyCounters(), objectsListed: 5_000, objectsCopied: 1_000, objectsSkipped: 200, objectsFailed: 34 },
  bytesMoved: 0,
  inFlight: 64,
  listed: false,
  holdoffMs: null,
  trouble: null,
  holdoffs: 0,
};

describe('the line of progress', () => {
  it('has objects, rates, TPS, what is parked, what failed and the time left', () => {
    const about = { total: 10_000, parkedOps: 16, tpsLimit: 500, etaMs: 80_000 };
    expect(progressLabel(progress, rates, about)).toBe(
      '1,234/10,000 objects  123/s  2.0 MiB/s  TPS 480/500  16 parked  34 failed  ETA 1 min 20 s',
    );
  });

  it('says why nothing moves', () => {
    const about = { total: null, parkedOps: 0, tpsLimit: null, etaMs: 80_000 };
    expect(progressLabel({ ...progress, holdoffMs: 42_000 }, rates, about)).toBe(
      '1,234 objects  123/s  2.0 MiB/s  TPS 480  34 failed  SlowDown: paused for 42 s',
    );
    expect(progressLabel({ ...progress, trouble: 'connection refused' }, rates, about)).toContain(
      'waiting: connection refused',
    );
  });
});

describe('the result', () => {
  const report: CopyReport = {
    state: 'completed',
    source: 's3://a/',
    target: 's3://b/',
    mode: 'copy-all',
    dryRun: false,
    counters: { ...emptyCounters(), objectsCopied: 10, objectsFailed: 2 },
    tookMs: 5_000,
    objectsPerSecond: 2,
    bytesPerSecond: 0,
    tpsLimit: null,
    costs: 'per-object',
    chargedOps: 12,
    holdoffs: 1,
    error: null,
    failures: [{ key: 'line\nbreak', code: 'AccessDenied', message: 'no', requestId: 'r1' }],
    manifest: EMPTY_MANIFEST,
  };

  it('shows failures with keys that cannot break the terminal, and says how to try them again', () => {
    const lines = reportLines(report, { failedFile: 'f.txt', resumeFile: null });
    expect(lines).toEqual([
      'Done: 10 objects (0 B) copied, 2 failed, in 5 s, 2/s, 0 B/s, paused 1 × after SlowDown.',
      '  "line\\nbreak": AccessDenied: no [request r1]',
      '  … and 1 more',
      'To try these again: the same command with --retry f.txt',
    ]);
  });

  it.each([
    [{ state: 'interrupted' }, 'state.json', 'Run the same command again to go on where it ended.'],
    [{}, 'state.json', 'Run the same command again to try these again.'],
    [{ state: 'interrupted' }, null, 'Run it again with --mode target-skip --check listing to copy what is missing.'],
  ] as const)('says what to do next: %j', (change, resumeFile, expected) => {
    expect(reportLines({ ...report, ...change }, { failedFile: null, resumeFile }).at(-1)).toBe(expected);
  });
});
