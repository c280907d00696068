import { keyPrefix, parseKey, parsePeriodId } from '@weir/quota';
import { textOf, type AuditedStore } from '@weir/quota-audit';
import { EXIT_CODES } from '../output/command-error.ts';
import { formatCount, formatDuration } from '../output/figures.ts';
import { renderTable } from '../output/table.ts';
import type { Terminal } from '../output/terminal.ts';
import { printable } from './audit-report.ts';
import { openAudited } from './audit-store.ts';
import type { QuotaListFlags } from './quota-options.ts';
import { cannotConnect, redacted } from './quota-servers.ts';

/** One counter. */
export interface ListedCounter {
  readonly quota: string;
  readonly subject: string;
  readonly period: string;
  readonly used: number;
  /** End of its period, in ms since 1970. */
  readonly endsAt: number | null;
  /** When the store will forget it; `null`: never, which `weir audit` repairs. */
  readonly deadline: number | null;
}

/** `weir quota list URL`: the counters that are there, those with the highest counts first. */
export async function quotaListCommand(url: string, flags: QuotaListFlags, terminal: Terminal): Promise<number> {
  const opened = await openAudited(url);
  const { store } = opened;
  try {
    const nowMs = await store.now();
    const { counters, total } = await collect(store, flags);
    if (flags.json) terminal.out(`${JSON.stringify({ total, counters })}\n`);
    else terminal.out(`${render(counters, total, nowMs).join('\n')}\n`);
    return EXIT_CODES.ok;
  } catch (error) {
    throw cannotConnect(redacted(url), error);
  } finally {
    await opened.close();
  }
}

/** Goes through the keys of Weir and keeps the highest counts. */
async function collect(
  store: AuditedStore,
  flags: QuotaListFlags,
): Promise<{ counters: ListedCounter[]; total: number }> {
  let highest: ListedCounter[] = [];
  let total = 0;
  for await (const { keys } of store.list(undefined, patternOf(flags))) {
    const named = keys.filter(({ key }) => parseKey(textOf(key))?.kind === 'counter');
    const looks = await store.look(named.map((listed) => ({ ...listed, sized: false })));
    for (const [index, { key }] of named.entries()) {
      const counter = counterOf(textOf(key), looks[index]);
      if (counter === undefined) continue;
      total += 1;
      highest.push(counter);
    }
    if (highest.length > 2 * flags.top) highest = top(highest, flags.top);
  }
  return { counters: top(highest, flags.top), total };
}

function top(counters: readonly ListedCounter[], most: number): ListedCounter[] {
  return [...counters].sort((a, b) => b.used - a.used).slice(0, most);
}

/** Patterns need no escaping: keys of Weir hold none of the characters that mean something in them. */
function patternOf({ quota, subject }: QuotaListFlags): string {
  if (quota !== undefined && subject !== undefined) return `${keyPrefix(quota, subject)}*`;
  if (quota !== undefined) return `${keyPrefix(quota, 's').slice(0, -'{s}:'.length)}{*`;
  return subject === undefined ? 'wq1:*' : keyPrefix('q', subject).replace('wq1:q:', 'wq1:*:').concat('*');
}

function counterOf(
  key: string,
  look: { deadlineMs: number | undefined; value: string | null } | undefined,
): ListedCounter | undefined {
  const name = parseKey(key);
  const used = Number(look?.value ?? Number.NaN);
  if (name === undefined || look === undefined || Number.isNaN(used)) return undefined;
  const subject = name.shortened ? `${name.subject}…` : name.subject;
  const endsAt = parsePeriodId(name.rest)?.endMs ?? null;
  return { quota: name.quotaId, subject, period: name.rest, used, endsAt, deadline: look.deadlineMs ?? null };
}

function render(counters: readonly ListedCounter[], total: number, nowMs: number): string[] {
  if (total === 0) return ['There are no counters of quotas.'];
  const left = (atMs: number | null, none: string): string =>
    atMs === null ? none : atMs <= nowMs ? 'over' : formatDuration(atMs - nowMs);
  const rows = counters.map(({ quota, subject, period, used, endsAt, deadline }) => [
    printable(quota),
    printable(subject),
    period,
    formatCount(used),
    left(endsAt, ''),
    left(deadline, 'never'),
  ]);
  const table = renderTable(
    [
      { title: 'quota', align: 'left' },
      { title: 'subject', align: 'left' },
      { title: 'period', align: 'left' },
      { title: 'used', align: 'right' },
      { title: 'ends in', align: 'right' },
      { title: 'forgotten in', align: 'right' },
    ],
    rows,
  );
  const more = total > counters.length ? [`(${formatCount(total - counters.length)} more: see --top)`] : [];
  return [...table, ...more];
}
