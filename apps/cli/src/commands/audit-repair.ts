import { createInterface } from 'node:readline/promises';
import {
  repair,
  summarise,
  textOf,
  type AuditedStore,
  type FixMode,
  type Journal,
  type Pacer,
  type PlanSummary,
  type RepairCounts,
  type RepairState,
  type Spared,
  type Tally,
} from '@weir/quota-audit';
import { CommandError } from '../output/command-error.ts';
import { formatCount } from '../output/figures.ts';
import { Progress } from '../output/progress.ts';
import type { Terminal } from '../output/terminal.ts';
import type { AuditFlags } from './audit-options.ts';
import { printable } from './audit-report.ts';

/** Asks a yes-or-no question; `undefined`: there is nobody to ask. */
export type Ask = (question: string) => Promise<boolean | undefined>;

/** What a repair came to. */
export interface RepairReport extends RepairCounts {
  readonly mode: FixMode;
  /** Listed and still as they were. */
  readonly left: number;
}

/** What a repair needs. */
export interface RepairRun {
  readonly flags: AuditFlags;
  readonly terminal: Terminal;
  readonly ask: Ask;
  readonly store: AuditedStore;
  readonly journal: Journal;
  readonly pacer: Pacer;
  readonly tally: Tally;
  readonly mode: FixMode;
  readonly maxLifetimeMs: number;
  readonly from: RepairState | undefined;
  readonly signal: AbortSignal;
}

const WHY: Readonly<Record<Spared, string>> = {
  'no-lifetime':
    'without a period in their names and without dated siblings: say how long they may live with --lifetime',
  'may-be-running': 'of a day that is not over everywhere: say the zone with --zone, or wait',
  'not-ended': 'not of an ended period: --fix date gives them deadlines',
  'not-believed': 'that turned out not to be counters',
};

/**
 * Shows what would be done, asks, and does it.
 * @throws CommandError `needs-confirmation` when there is nobody to ask, `declined`
 */
export async function repairFound(run: RepairRun): Promise<RepairReport> {
  const { flags, terminal, store, journal, tally, mode, maxLifetimeMs, from, signal } = run;
  const lifetime = flags.lifetime === undefined ? {} : { lifetimeMs: flags.lifetime };
  const rules = { mode, maxLifetimeMs, ...lifetime };
  const summary = await summarise({ store, journal }, tally, rules, from?.appliedBytes);
  if (!flags.json) terminal.out(`\n${renderPlan(summary, mode).join('\n')}\n`);
  if (summary.changes > 0 && !flags.yes) await confirm(run, summary.changes);
  const progress = new Progress(terminal, { now: () => performance.now(), silent: flags.json });
  const total = (from?.appliedLines ?? 0) + summary.lines;
  const counts = await repair({ store, journal, pacer: run.pacer, monotonic: () => performance.now() }, tally, {
    rules,
    signal,
    ...(from === undefined ? {} : { from }),
    onProgress: ({ lines, counts }) =>
      progress.update(`${formatCount(counts.done)} repaired`, lines / Math.max(1, total)),
    onFailure: (key, error) => terminal.err(`${printable(textOf(key))}: ${error.message}\n`),
  });
  const spared = Object.entries(counts.spared).reduce((sum, [why, n]) => sum + (why === 'not-believed' ? 0 : n), 0);
  const result = { ...counts, mode, left: spared + counts.changed + counts.failed };
  progress.finish(renderCounts(result));
  return result;
}

async function confirm({ ask, mode }: RepairRun, changes: number): Promise<void> {
  const verb = mode === 'date' ? 'Give deadlines to' : 'Delete';
  const answer = await ask(`${verb} ${formatCount(changes)} counters?`);
  if (answer === true) return;
  if (answer === undefined) {
    throw new CommandError('needs-confirmation', 'nothing was changed: there is nobody to ask', {
      remedy: 'Run it again with --yes. The plan is kept, so nothing is listed twice.',
    });
  }
  throw new CommandError('declined', 'nothing was changed', { remedy: 'The plan is kept for a day.' });
}

function renderPlan({ changes, spared }: PlanSummary, mode: FixMode): string[] {
  const verb = mode === 'date' ? 'get a deadline' : 'are deleted';
  return [
    `${formatCount(changes)} counters ${verb}, each only if it still is as it was found.`,
    ...reasons(spared).map(([why, count]) => `${formatCount(count)} are left alone, ${WHY[why]}.`),
  ];
}

function reasons(spared: PlanSummary['spared']): [Spared, number][] {
  const all: Spared[] = ['no-lifetime', 'may-be-running', 'not-ended'];
  return all.flatMap((why) => (spared[why] === undefined ? [] : [[why, spared[why]] satisfies [Spared, number]]));
}

function renderCounts({ done, kept, gone, changed, failed }: RepairReport): string {
  const others = [
    [kept, 'put right meanwhile'],
    [gone, 'gone meanwhile'],
    [changed, 'changed meanwhile and left alone'],
    [failed, 'failed'],
  ] as const;
  const rest = others.filter(([count]) => count > 0).map(([count, what]) => `, ${formatCount(count)} ${what}`);
  return `${formatCount(done)} repaired${rest.join('')}.`;
}

/** Asks on the terminal, if there is one. */
export function askOnTerminal(terminal: Terminal): Ask {
  return async (question) => {
    if (!process.stdin.isTTY || !terminal.interactive) return undefined;
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
    } finally {
      lines.close();
    }
  };
}
