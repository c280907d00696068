import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { QuotaError, zoneNamed, type Zone } from '@weir/quota';
import {
  auditKeys,
  continuationOf,
  DEFAULT_KEYS_PER_SECOND,
  DEFAULT_MAX_LIFETIME_MS,
  hasFindings,
  openFileJournal,
  Pacer,
  reportOf,
  type AuditedStore,
  type AuditOptions,
  type Continuation,
  type Journal,
  type Tally,
} from '@weir/quota-audit';
import { CommandError, EXIT_CODES } from '../output/command-error.ts';
import { formatCount } from '../output/figures.ts';
import { Progress } from '../output/progress.ts';
import type { Terminal } from '../output/terminal.ts';
import type { AuditFlags } from './audit-options.ts';
import { renderAudit } from './audit-report.ts';
import { askOnTerminal, repairFound, type Ask, type RepairReport } from './audit-repair.ts';
import { openAudited } from './audit-store.ts';
import { cannotConnect, redacted } from './quota-servers.ts';

/** `weir audit URL`: what counters are there, which of them are wrong, and their repair. */
export async function auditCommand(
  url: string,
  flags: AuditFlags,
  terminal: Terminal,
  ask: Ask = askOnTerminal(terminal),
): Promise<number> {
  const zone = flags.zone === undefined ? undefined : namedZone(flags.zone);
  const opened = await openAudited(url, flags.replica);
  const { store } = opened;
  const interruption = interruptible(flags);
  try {
    return await audit({ url, flags, terminal, ask, zone, store, signal: interruption.signal });
  } catch (error) {
    // A mistake of ours keeps its stack.
    if (error instanceof CommandError || error instanceof TypeError) throw error;
    throw cannotConnect(redacted(url), error);
  } finally {
    interruption.release();
    await opened.close();
  }
}

interface Run {
  readonly url: string;
  readonly flags: AuditFlags;
  readonly terminal: Terminal;
  readonly ask: Ask;
  readonly zone: Zone | undefined;
  readonly store: AuditedStore;
  readonly signal: AbortSignal;
}

async function audit(run: Run): Promise<number> {
  const { url, flags, terminal, store } = run;
  const startedMs = performance.now();
  const journal = await openJournal(run);
  try {
    const { tally, atMs, continuation } = await list(run, journal);
    const report = reportOf(tally, atMs);
    const about = { address: redacted(url), kind: store.kind, tookMs: Math.round(performance.now() - startedMs) };
    // What is about to be changed is shown before it is asked for.
    if (!flags.json) terminal.out(`${renderAudit(report, about, terminal.columns).join('\n')}\n`);
    let repaired: RepairReport | undefined;
    if (journal !== undefined && flags.fix !== undefined && hasFindings(report)) {
      const from = continuation.from === 'plan' ? continuation.repair : undefined;
      repaired = await repairFound({
        ...run,
        journal,
        tally,
        mode: flags.fix,
        ...pacing(run),
        maxLifetimeMs: maxLifetime(flags),
        from,
      });
    }
    if (flags.json)
      terminal.out(
        `${JSON.stringify({ ...about, ...report, ...(repaired === undefined ? {} : { fix: repaired }) })}\n`,
      );
    if (!hasFindings(report)) return EXIT_CODES.ok;
    const leftOver = report.findings.negative + report.findings.notNumbers;
    return repaired !== undefined && repaired.left === 0 && leftOver === 0 ? EXIT_CODES.ok : EXIT_CODES.findings;
  } finally {
    await journal?.close();
  }
}

/** Lists and judges, or takes over what an interrupted audit has listed already. */
async function list(
  run: Run,
  journal: Journal | undefined,
): Promise<{ tally: Tally; atMs: number; continuation: Continuation }> {
  const { flags, terminal, store, zone, signal } = run;
  const continuation = await continued(run, journal);
  if (continuation.from === 'plan') {
    const { tally, startedAtMs } = continuation.listing;
    note(run, 'Continuing with the plan of the interrupted audit.');
    return { tally, atMs: startedAtMs, continuation };
  }
  if (continuation.from === 'listing') note(run, 'Continuing the interrupted audit.');
  const progress = new Progress(terminal, { now: () => performance.now(), silent: flags.json });
  const options: AuditOptions = {
    policy: { maxLifetimeMs: maxLifetime(flags) },
    claimed: flags.counters,
    signal,
    ...(flags.match === undefined ? {} : { match: flags.match }),
    ...(zone === undefined ? {} : { zone }),
    onProgress: ({ keys, total, found, keysPerSecond }) => {
      const label = `${formatCount(keys)} keys, ${formatCount(found)} with findings, ${formatCount(keysPerSecond)}/s`;
      const done = total === undefined || total === 0 || flags.match !== undefined ? null : Math.min(1, keys / total);
      progress.update(label, done);
    },
  };
  const from = continuation.from === 'listing' ? { from: continuation.listing } : {};
  const recording = journal === undefined ? undefined : { journal, about: fingerprint(run), ...from };
  const { pacer } = pacing(run);
  const listed = await auditKeys({ store, pacer, monotonic: () => performance.now() }, options, recording);
  progress.finish(`${formatCount(listed.tally.keys)} keys listed.`);
  return { ...listed, continuation };
}

async function continued(run: Run, journal: Journal | undefined): Promise<Continuation> {
  const { flags } = run;
  if (journal === undefined) return { from: 'start' };
  const saved = flags.fresh ? undefined : await journal.load();
  const continuation = continuationOf(saved, fingerprint(run), flags.fix, await run.store.now());
  if (continuation.from === 'start') await journal.begin();
  if (continuation.from === 'listing') await journal.cut(continuation.listing.planBytes);
  return continuation;
}

/** Waits at the pace that was asked for, and no longer than until the audit is interrupted. */
function pacing({ flags, signal }: Pick<Run, 'flags' | 'signal'>): { pacer: Pacer } {
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => undefined);
  return { pacer: new Pacer(flags.rate ?? DEFAULT_KEYS_PER_SECOND, () => performance.now(), pause) };
}

function maxLifetime(flags: AuditFlags): number {
  return flags.maxLifetime ?? DEFAULT_MAX_LIFETIME_MS;
}

function note({ flags, terminal }: Run, text: string): void {
  if (!flags.json) terminal.err(`${text}\n`);
}

/** What must be the same for an audit to continue another. Passwords are not in it. */
function fingerprint({ url, flags }: Pick<Run, 'url' | 'flags'>): string {
  const what = [redacted(url), flags.match ?? '', flags.counters, flags.zone ?? '', maxLifetime(flags)];
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 16);
}

async function openJournal(run: Run): Promise<Journal | undefined> {
  const { flags } = run;
  const folder = flags.journal ?? (flags.fix === undefined ? undefined : `./weir-audit-${fingerprint(run)}`);
  if (folder === undefined) return undefined;
  try {
    return await openFileJournal(folder);
  } catch (error) {
    throw new CommandError('journal-unwritable', `cannot keep the journal in ${folder}`, {
      remedy: 'Name a folder that may be written with --journal.',
      cause: error,
    });
  }
}

function namedZone(name: string): Zone {
  try {
    return zoneNamed(name);
  } catch (error) {
    if (!(error instanceof QuotaError)) throw error;
    throw new CommandError('zone-unknown', error.message, { remedy: 'Use an IANA name such as Europe/Berlin.' });
  }
}

/** The first Ctrl-C ends the audit where it can be continued; a second one ends the process at once. */
function interruptible(flags: AuditFlags): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const kept = flags.fix !== undefined || flags.journal !== undefined;
  const interrupt = (signal: NodeJS.Signals): void => {
    const remedy = kept ? 'Run the same command again to go on where it ended.' : 'Nothing was changed.';
    controller.abort(new CommandError('interrupted', `interrupted by ${signal}`, { remedy }));
  };
  for (const signal of SIGNALS) process.once(signal, interrupt);
  return {
    signal: controller.signal,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, interrupt);
    },
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
