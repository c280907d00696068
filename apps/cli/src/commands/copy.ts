import { createHash } from 'node:crypto';
import {
  emptyCounters,
  S3Client,
  type CopyFilter,
  type CopyItem,
  type CopySide,
  type CopyTuning,
  type PlannedAction,
} from '@weir/s3-copy';
import { CopyFollower } from '../copy/copy-follower.ts';
import { CopySession, type CopyOptions, type SessionEnd } from '../copy/copy-session.ts';
import { FailedFile, readFailedKeys } from '../copy/failed-file.ts';
import { joinsNames, overlapOf, parsePlace, placeName, type Place } from '../copy/place.ts';
import { reportLines, SHOWN_FAILURES, type CopyReport } from '../copy/report.ts';
import { resolveSides, type SideName, type SideSettings } from '../copy/sides.ts';
import { freshState, readState, StateFile, type CopyState } from '../copy/state-file.ts';
import { makeBucket, profileReader, requireBucket } from '../copy/store-access.ts';
import { TpsBudget } from '../copy/tps-budget.ts';
import { CommandError, EXIT_CODES } from '../output/command-error.ts';
import { formatBytes } from '../output/figures.ts';
import type { Terminal } from '../output/terminal.ts';
import type { CopyFlags } from './copy-options.ts';

/** What a copy is about, once its flags are understood. */
interface Task {
  readonly flags: CopyFlags;
  readonly places: Readonly<Record<SideName, Place>>;
  readonly sides: Readonly<Record<SideName, SideSettings>>;
  readonly state: CopyState;
  /** The state was found in a file. */
  readonly goOn: boolean;
}

/** `weir copy SRC DST`: a copy on this machine alone. */
export async function copyCommand(
  source: string,
  target: string,
  flags: CopyFlags,
  terminal: Terminal,
): Promise<number> {
  const places = { source: parsePlace(source), target: parsePlace(target) };
  const sides = sidesOf(flags);
  refuseOverlap(places, sides);
  warn(flags, places, terminal);
  const task = { flags, places, sides, ...(await beginning(flags, places, sides)) };
  const interruption = new Interruption();
  try {
    await requireBucket('source', sides.source, places.source.bucket, interruption.signal);
    if (flags.createBucket && !flags.dryRun) {
      await makeBucket(sides.target, places.target.bucket, interruption.signal);
    } else await requireBucket('target', sides.target, places.target.bucket, interruption.signal);
    return await copy(task, terminal, interruption);
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    throw new CommandError('interrupted', 'interrupted before anything was copied', {
      exitCode: EXIT_CODES.interrupted,
    });
  } finally {
    interruption.end();
  }
}

async function copy(task: Task, terminal: Terminal, interruption: Interruption): Promise<number> {
  const { flags, places, sides, state, goOn } = task;
  const clients = { source: new S3Client(sides.source), target: new S3Client(sides.target) };
  const time = {
    now: () => performance.now(),
    startTimer: (callback: () => void, ms: number) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
  const budget = new TpsBudget({ limitTps: flags.tps ?? null, windowSeconds: flags.windowSeconds, time });
  const failed = flags.failed === undefined ? null : new FailedFile(flags.failed, goOn && !state.listingDone);
  const session = new CopySession({
    copy: optionsOf(
      flags,
      { source: { client: clients.source, ...places.source }, target: { client: clients.target, ...places.target } },
      budget,
      terminal,
    ),
    state,
    keysOnly: flags.retry !== undefined,
    goOn,
    holdoffMs: [flags.holdoffSeconds[0] * 1_000, flags.holdoffSeconds[1] * 1_000],
    patienceMs: flags.patience * 1_000,
    maxFailures: flags.maxFailures,
    onFailure: (failure) => failed?.add(failure),
    now: time.now,
    random: Math.random,
  });
  const file = flags.resume === undefined || flags.dryRun ? null : new StateFile(flags.resume);
  const follower = new CopyFollower({ session, budget, file, flags, terminal, now: time.now });
  const startedMs = performance.now();
  try {
    // A place that cannot be written shows now, and not when there is something to lose.
    await file?.write(session.state());
    interruption.onInterrupt = () => session.interrupt();
    budget.start();
    follower.start({ client: clients.source, ...places.source });
    const end = await session.run();
    follower.stop();
    await failed?.close();
    if (file !== null) {
      if (end.type === 'completed' && session.failures.length === 0) await file.remove();
      else await file.write(session.state());
    }
    const report = reportOf(task, session, end, {
      tookMs: performance.now() - startedMs,
      chargedOps: budget.use().chargedOps,
    });
    if (flags.json) terminal.out(`${JSON.stringify(report)}\n`);
    else
      terminal.err(
        `${reportLines(report, { failedFile: flags.failed ?? null, resumeFile: file === null ? null : (flags.resume ?? null) }).join('\n')}\n`,
      );
    return exitCodeOf(end, report, terminal, flags);
  } finally {
    budget.stop();
    follower.stop();
    await Promise.all([clients.source.close(), clients.target.close()]);
  }
}

function exitCodeOf(end: SessionEnd, report: CopyReport, terminal: Terminal, flags: CopyFlags): number {
  switch (end.type) {
    case 'completed':
      return report.counters.objectsFailed > 0 ? EXIT_CODES.findings : EXIT_CODES.ok;
    case 'interrupted':
      return EXIT_CODES.interrupted;
    case 'too-many-failures':
      return EXIT_CODES.cannotRun;
    case 'failed':
      if (!flags.json) terminal.err(`weir: ${end.error.message}\n`);
      return EXIT_CODES.cannotRun;
    default:
      return end satisfies never;
  }
}

function reportOf(
  { flags, places, state }: Task,
  session: CopySession,
  end: SessionEnd,
  { tookMs, chargedOps }: { tookMs: number; chargedOps: number },
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
    chargedOps,
    holdoffs,
    error: end.type === 'failed' ? { code: end.error.code, message: end.error.message } : null,
    failures: session.failures.slice(0, SHOWN_FAILURES),
  };
}

function sidesOf(flags: CopyFlags): Record<SideName, SideSettings> {
  const environment = process.env;
  return resolveSides(
    {
      source: {
        ...given('url', flags.sourceUrl),
        ...given('region', flags.sourceRegion),
        ...given('addressing', flags.sourceAddressing),
        ...given('profile', flags.sourceProfile),
        ...given('env', flags.sourceEnv),
        ...given('accessKey', flags.sourceAccessKey),
        ...given('secretKey', flags.sourceSecretKey),
      },
      target: {
        ...given('url', flags.targetUrl),
        ...given('region', flags.targetRegion),
        ...given('addressing', flags.targetAddressing),
        ...given('profile', flags.targetProfile),
        ...given('env', flags.targetEnv),
        ...given('accessKey', flags.targetAccessKey),
        ...given('secretKey', flags.targetSecretKey),
      },
    },
    { environment, profile: profileReader(environment) },
  );
}

/** An object with one field, or with none when there is no value. */
function given<Name extends string, Value>(name: Name, value: Value | undefined): Partial<Record<Name, Value>> {
  const object: Partial<Record<Name, Value>> = {};
  if (value !== undefined) object[name] = value;
  return object;
}

function optionsOf(
  flags: CopyFlags,
  sides: Readonly<Record<SideName, CopySide>>,
  budget: TpsBudget,
  terminal: Terminal,
): CopyOptions {
  const tuning: Partial<CopyTuning> = {
    ...given('multipartThresholdBytes', flags.multipartThreshold),
    ...given('partBytes', flags.partSize),
  };
  return {
    ...sides,
    mode: flags.mode,
    checkBy: flags.check,
    filter: filterOf(flags),
    dryRun: flags.dryRun,
    concurrency: flags.concurrency,
    gate: { charge: (operation, attempt, signal) => budget.charge(operation, attempt, signal) },
    tuning,
    onPlanned: (item: CopyItem, action: PlannedAction) => {
      if (flags.json || action !== 'copy') return;
      const size = item.sizeBytes === null ? '' : formatBytes(item.sizeBytes);
      // Quoted: a key may hold line breaks and worse.
      terminal.out(`${size.padStart(10)}  ${JSON.stringify(item.key)}\n`);
    },
  };
}

function filterOf(flags: CopyFlags): CopyFilter {
  return {
    include: flags.include,
    exclude: flags.exclude,
    minBytes: flags.minSize ?? null,
    maxBytes: flags.maxSize ?? null,
    modifiedAfterMs: flags.newerThan ?? null,
    modifiedBeforeMs: flags.olderThan ?? null,
  };
}

function refuseOverlap(places: Task['places'], sides: Task['sides']): void {
  if (sides.source.url !== sides.target.url) return;
  const overlap = overlapOf(places.source, places.target);
  if (overlap === null) return;
  const what =
    overlap === 'same'
      ? 'source and target are the same place'
      : 'the target lies inside the source, so copies would be copied again';
  throw new CommandError('places-overlap', what, {
    remedy: 'Give the target another bucket, or a prefix that does not begin with that of the source.',
  });
}

function warn(flags: CopyFlags, places: Task['places'], terminal: Terminal): void {
  if (flags.sourceSecretKey !== undefined || flags.targetSecretKey !== undefined) {
    terminal.err('Warning: everybody on this machine can read a secret key that stands on a command line.\n');
  }
  if (joinsNames(places.source, places.target)) {
    const { prefix } = places.target;
    terminal.err(
      `Note: the target's prefix does not end with /, so names will begin with ${JSON.stringify(`${prefix}…`)} and not with ${JSON.stringify(`${prefix}/…`)}.\n`,
    );
  }
}

/** Where the copy begins: at the state of an earlier run, with the keys of a list, or at the first object. */
async function beginning(
  flags: CopyFlags,
  places: Task['places'],
  sides: Task['sides'],
): Promise<{ state: CopyState; goOn: boolean }> {
  if (flags.retry !== undefined && flags.retry === flags.failed) {
    throw new CommandError('same-file', '--retry and --failed name the same file', {
      remedy: 'Let --failed write to another file: this one would be lost while it is still needed.',
    });
  }
  const about = fingerprint(flags, places, sides);
  const found = flags.resume === undefined ? null : await readState(flags.resume, about);
  if (found !== null) return { state: found, goOn: true };
  const pendingKeys = flags.retry === undefined ? [] : await readFailedKeys(flags.retry);
  const outside = pendingKeys.find((key) => !key.startsWith(places.source.prefix));
  if (outside !== undefined) {
    throw new CommandError(
      'list-invalid',
      `${JSON.stringify(outside)} of ${flags.retry ?? ''} is not below ${placeName(places.source)}`,
    );
  }
  return { state: { ...freshState(about, emptyCounters()), pendingKeys }, goOn: false };
}

/** What must be the same for a copy to go on with the state of another. Secrets and paces are not in it. */
function fingerprint(flags: CopyFlags, places: Task['places'], sides: Task['sides']): string {
  const { include, exclude, minSize, maxSize } = flags;
  // Ages move on between two runs.
  const filter = [include, exclude, minSize ?? null, maxSize ?? null];
  const where = [sides.source.url, places.source, sides.target.url, places.target];
  const what = [where, flags.mode, filter, flags.retry ?? null];
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 16);
}

/** Ctrl-C: the first ends the copy at its checkpoint, the second cuts off what is under way, the third ends the process. */
class Interruption {
  readonly #controller = new AbortController();
  #count = 0;
  onInterrupt: () => void = () => undefined;
  readonly #listen = (): void => {
    this.#count += 1;
    if (this.#count > 2) process.exit(EXIT_CODES.interrupted);
    this.#controller.abort();
    this.onInterrupt();
  };

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#listen);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    for (const signal of SIGNALS) process.off(signal, this.#listen);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
