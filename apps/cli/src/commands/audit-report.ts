import type { AuditReport, FamilyReport } from '@weir/quota-audit';
import { formatBytes, formatCount, formatDuration, formatPercent } from '../output/figures.ts';
import { sparkline } from '../output/sparkline.ts';
import { renderTable, type Column } from '../output/table.ts';

/** Families in the table; `--json` has all. */
const SHOWN_FAMILIES = 15;

/** Longest name in a table, in characters. */
const MAX_NAME = 48;

const LEFT = 'left';
const RIGHT = 'right';

/** The report as text. */
export function renderAudit(
  report: AuditReport,
  about: { address: string; kind: string; tookMs: number },
  columns: number,
): string[] {
  const { keys, findings } = report;
  const head = `${about.address}: ${formatCount(keys.listed)} keys, ${formatCount(keys.counters)} of them counters, in ${formatDuration(about.tookMs)}`;
  const verdict =
    findings.keys === 0 ? ['', 'Nothing found: every counter has a deadline that fits.'] : renderFindings(report);
  return [
    head,
    ...verdict,
    ...renderGrowth(report, columns),
    ...renderFamilies(report.families),
    ...renderSubjects(report),
    ...renderUnjudged(report),
    ...(findings.keys === 0
      ? []
      : ['', 'To repair: --fix date gives them deadlines, --fix delete removes those of ended periods.']),
  ];
}

function renderFindings({ findings, waste, keys }: AuditReport): string[] {
  const rows: string[][] = [
    [
      'undated',
      formatCount(findings.undated.keys),
      formatBytes(findings.undated.bytes),
      'no deadline: they stay for ever',
    ],
    [
      'of ended periods',
      formatCount(findings.ended.keys),
      formatBytes(findings.ended.bytes),
      'nobody reads them any more',
    ],
    ['too long', formatCount(findings.tooLong), '', 'deadline beyond the policy or the period'],
    ['negative', formatCount(findings.negative), '', 'a refund was paid twice or too late'],
    ['no numbers', formatCount(findings.notNumbers), '', "something else under a limiter's name"],
  ].filter(([, count]) => count !== '0');
  const table = renderTable(
    [column('finding', LEFT), column('keys', RIGHT), column('bytes', RIGHT), column('', LEFT)],
    rows,
  );
  const leaving =
    keys.leaving === 0 ? [] : [`(${formatCount(keys.leaving)} more of ended periods are about to expire)`];
  return ['', ...table, ...leaving, '', `wasted now  ${formatCount(waste.keys)} keys, ${formatBytes(waste.bytes)}`];
}

function renderGrowth({ growth, projection, waste }: AuditReport, columns: number): string[] {
  if (waste.keys === 0) return [];
  if (growth.days === 0) return ['growth      not known: no wasted counter names its period'];
  const rate = `${formatCount(growth.keysPerDay)} keys, ${formatBytes(growth.bytesPerDay)} a day`;
  const line = sparkline(growth.series, Math.max(10, Math.min(30, columns - 50)));
  const ageless =
    growth.ageless === 0
      ? []
      : [
          `            (${formatCount(growth.ageless)} undated counters do not name their period and are not in the rate)`,
        ];
  const ahead = projection.map(({ days, bytes }) => `${formatBytes(bytes)} in ${days} days`).join(', ');
  return [`growth      ${rate}  ${line}  last ${growth.days} days`, ...ageless, `projection  ${ahead}`];
}

function renderFamilies(families: readonly FamilyReport[]): string[] {
  if (families.length === 0) return [];
  const shown = families.slice(0, SHOWN_FAMILIES);
  const rows = shown.map((family) => [
    printable(family.family),
    formatCount(family.counters),
    formatCount(family.undated),
    formatCount(family.ended),
    formatCount(family.tooLong),
    formatCount(family.negative),
    formatCount(family.notNumbers),
    formatBytes(family.wastedBytes),
    printable(family.examples[0] ?? ''),
  ]);
  const titles = ['counters', 'undated', 'ended', 'too long', 'negative', 'no numbers', 'wasted'];
  const table = renderTable(
    [column('family', LEFT), ...titles.map((title) => column(title, RIGHT)), column('for example', LEFT)],
    rows,
  );
  const more = families.length > shown.length ? [`(${families.length - shown.length} more families: see --json)`] : [];
  return ['', ...table, ...more];
}

function renderSubjects({ subjects }: AuditReport): string[] {
  // A subject with one wasted counter is no news.
  const shown = subjects.filter(({ keys }) => keys > 1).slice(0, 5);
  if (shown.length === 0) return [];
  const rows = shown.map(({ subject, family, keys, missed }) => [
    printable(subject),
    printable(family),
    missed === 0 ? formatCount(keys) : `${formatCount(keys)}–${formatCount(keys + missed)}`,
  ]);
  return [
    '',
    ...renderTable([column('subject', LEFT), column('family', LEFT), column('wasted counters', RIGHT)], rows),
  ];
}

function renderUnjudged({ unjudged }: AuditReport): string[] {
  const shown = unjudged.filter(({ undated, numbers }) => undated > 0 && numbers >= 0.5).slice(0, 5);
  if (shown.length === 0) return [];
  const rows = shown.map(({ names, keys, numbers, undated }) => [
    printable(names),
    formatCount(keys),
    formatPercent(100 * numbers),
    formatPercent(100 * undated),
  ]);
  return [
    '',
    'Not judged: numbers whose names do not say that they count. If they do, name them with --counters.',
    ...renderTable(
      [column('names', LEFT), column('keys', RIGHT), column('numbers', RIGHT), column('undated', RIGHT)],
      rows,
    ),
  ];
}

function column(title: string, align: Column['align']): Column {
  return { title, align };
}

/** Keys are anybody's text: nothing in them may speak to the terminal. */
export function printable(text: string): string {
  const shown = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '·');
  return shown.length > MAX_NAME ? `${shown.slice(0, MAX_NAME - 1)}…` : shown;
}
