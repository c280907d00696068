import {
  compileFilter,
  S3Client,
  type CopyItem,
  type CopySide,
  type CopyWarning,
  type PlannedAction,
} from '@weir/s3-copy';
import { CopyFiles } from '../copy/copy-files.ts';
import { CopyFollower } from '../copy/copy-follower.ts';
import { CopySession, type SessionEnd } from '../copy/copy-session.ts';
import { copyTask, type CopyTask } from '../copy/copy-task.ts';
import { manifestHeader } from '../copy/local-manifest.ts';
import { placeName } from '../copy/place.ts';
import { reportLines, SHOWN_FAILURES, type CopyReport } from '../copy/report.ts';
import type { SideName } from '../copy/sides.ts';
import { makeBucket, requireBucket } from '../copy/store-access.ts';
import { TpsBudget } from '../copy/tps-budget.ts';
import { CommandError, EXIT_CODES } from '../output/command-error.ts';
import { formatBytes } from '../output/figures.ts';
import { Interruption } from '../output/interruption.ts';
import type { Terminal } from '../output/terminal.ts';
import type { CopyFlags } from './copy-options.ts';

/** `weir copy SRC DST`: a copy on this machine alone. */
export async function copyCommand(
  source: string,
  target: string,
  flags: CopyFlags,
  terminal: Terminal,
): Promise<number> {
  const task = await copyTask(source, target, flags, process.env, Date.now());
  for (const warning of task.warnings) terminal.err(`${warning}\n`);
  const interruption = new Interruption();
  try {
    await requireBuckets(task, interruption.signal);
  } catch (error) {
    interruption.end();
    if (!interruption.signal.aborted) throw error;
    const { interrupted } = EXIT_CODES;
    throw new CommandError('interrupted', 'interrupted before anything was copied', { exitCode: interrupted });
  }
  const clients = { source: new S3Client(task.sides.source), target: new S3Client(task.sides.target) };
  try {
    return await copy(task, clients, terminal, interruption);
  } finally {
    interruption.end();
    await Promise.all([clients.source.close(), clients.target.close()]);
  }
}

async function requireBuckets({ flags, places, sides }: CopyTask, signal: AbortSignal): Promise<void> {
  await requireBucket('source', sides.source, places.source.bucket, signal);
  if (flags.createBucket && !flags.dryRun) await makeBucket(sides.target, places.target.bucket, signal);
  else await requireBucket('target', sides.target, places.target.bucket, signal);
}

async function copy(
  task: CopyTask,
  clients: Readonly<Record<SideName, S3Client>>,
  terminal: Terminal,
  interruption: Interruption,
): Promise<number> {
  const { flags, places, sides } = task;
  const startedMs = performance.now();
  const budget = new TpsBudget({
    limitTps: flags.tps ?? null,
    windowSeconds: flags.windowSeconds,
    costs: flags.costs,
    time: TIME,
  });
  // A dry run writes nothing, and that goes for its state too.
  const files = await CopyFiles.open(
    flags.dryRun
      ? {}
      : { ...named('state', flags.resume), ...named('failed', flags.failed), ...named('manifest', flags.manifest) },
    task.state,
    manifestHeader({
      source: placeName(places.source),
      sourceUrl: sides.source.url,
      target: placeName(places.target),
      targetUrl: sides.target.url,
      mode: flags.mode,
      startedAt: new Date().toISOString(),
    }),
  );
  const source = { client: clients.source, ...places.source };
  const session = sessionOf(
    task,
    { source, target: { client: clients.target, ...places.target } },
    {
      budget,
      files,
      terminal,
      onWarning: (warning) => follower.say(`Warning: ${warning.message}`),
    },
  );
  const follower = new CopyFollower({ session, budget, files, flags, terminal, now: TIME.now });
  try {
    // A place that cannot be written shows now, and not when there is something to lose.
    await files.save(session.state());
    interruption.onInterrupt = () => session.interrupt();
    budget.start();
    follower.start(source, compileFilter(task.filter, source.prefix));
    const end = await session.run();
    follower.stop();
    const done = end.type === 'completed' && session.failures.length === 0;
    const { manifest } = session.state();
    await files.finish(session.state(), { end: end.type, ...manifest }, done);
    const report = reportOf(task, session, end, performance.now() - startedMs, budget.use().chargedOps);
    tell(report, flags, terminal);
    return exitCodeOf(end, report);
  } finally {
    budget.stop();
    follower.stop();
    await files.close();
  }
}

const TIME = {
  now: () => performance.now(),
  startTimer: (callback: () => void, ms: number) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

function named<Name extends string>(name: Name, file: string | undefined): Partial<Record<Name, string>> {
  const names: Partial<Record<Name, string>> = {};
  if (file !== undefined) names[name] = file;
  return names;
}

function sessionOf(
  { flags, filter, tuning, state, goOn }: CopyTask,
  sides: Readonly<Record<SideName, CopySide>>,
  around: { budget: TpsBudget; files: CopyFiles; terminal: Terminal; onWarning: (warning: CopyWarning) => void },
): CopySession {
  const { budget, files, terminal, onWarning } = around;
  const [low, high] = flags.holdoffSeconds;
  return new CopySession({
    copy: {
      ...sides,
      mode: flags.mode,
      checkBy: flags.check,
      filter,
      dryRun: flags.dryRun,
      serverSideCopy: flags.serverSide,
      concurrency: flags.concurrency,
      gate: { charge: (operation, attempt, signal) => budget.charge(operation, attempt, signal) },
      tuning,
      onWarning,
      onPlanned: (item, action) => {
        if (!flags.json && action === 'copy') terminal.out(plannedLine(item, action));
      },
    },
    state,
    keysOnly: flags.retry !== undefined,
    goOn,
    holdoffMs: [low * 1_000, high * 1_000],
    patienceMs: flags.patience * 1_000,
    maxFailures: flags.maxFailures,
    onFailure: (failure) => files.addFailure(failure),
    onEntry: (entry) => files.addEntry(entry),
    now: TIME.now,
    random: Math.random,
  });
}

/** Quoted: a key may hold line breaks and worse. */
function plannedLine(item: CopyItem, action: PlannedAction): string {
  const size = item.sizeBytes === null ? '' : formatBytes(item.sizeBytes);
  return `${action}  ${size.padStart(10)}  ${JSON.stringify(item.key)}\n`;
}

function reportOf(
  { flags, places, state }: CopyTask,
  session: CopySession,
  end: SessionEnd,
  tookMs: number,
  chargedOps: number,
): CopyReport {
  const { counters, holdoffs } = session.progress();
  const seconds = Math.max(tookMs, 1) / 1_000;
  return {
    state: end.type,
    source: placeName(places.source),
    target: placeName(places.target),
    mode: flags.mode,
    dryRun: flags.dryRun,
    counters,
    tookMs: Math.round(tookMs),
    objectsPerSecond: (counters.objectsCopied - state.counters.objectsCopied) / seconds,
    bytesPerSecond: (counters.bytesCopied - state.counters.bytesCopied) / seconds,
    tpsLimit: flags.tps ?? null,
    costs: flags.costs,
    chargedOps,
    holdoffs,
    error: end.type === 'failed' ? { code: end.error.code, message: end.error.message } : null,
    failures: session.failures.slice(0, SHOWN_FAILURES),
    manifest: session.state().manifest,
  };
}

function tell(report: CopyReport, flags: CopyFlags, terminal: Terminal): void {
  if (flags.json) {
    terminal.out(`${JSON.stringify(report)}\n`);
    return;
  }
  const hints = { failedFile: flags.failed ?? null, resumeFile: flags.dryRun ? null : (flags.resume ?? null) };
  terminal.err(`${reportLines(report, hints).join('\n')}\n`);
  if (report.error !== null) terminal.err(`weir: ${report.error.message}\n`);
}

function exitCodeOf(end: SessionEnd, report: CopyReport): number {
  switch (end.type) {
    case 'completed':
      return report.counters.objectsFailed > 0 ? EXIT_CODES.findings : EXIT_CODES.ok;
    case 'interrupted':
      return EXIT_CODES.interrupted;
    case 'too-many-failures':
    case 'failed':
      return EXIT_CODES.cannotRun;
    default:
      return end satisfies never;
  }
}
