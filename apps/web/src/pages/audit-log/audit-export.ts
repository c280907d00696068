import type { AuditEntryView } from '@weir/protocol';

const COLUMNS = ['entry', 'time', 'actor', 'action', 'subject', 'address', 'detail', 'changes'] as const;

/** Characters that spreadsheets take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** One field of a CSV line: quoted, and harmless to a spreadsheet that opens it. */
export function csvField(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Entries as CSV (RFC 4180), with a line of names. Times are ISO 8601 in UTC. */
export function auditCsv(entries: readonly AuditEntryView[]): string {
  const lines = entries.map(({ entry, atMs, actor, action, subject, address, detail, changes }) => {
    const fields = [
      String(entry),
      new Date(atMs).toISOString(),
      actor,
      action,
      subject,
      address ?? '',
      detailText(detail),
      changesText(changes),
    ];
    return fields.map(csvField).join(',');
  });
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}

/** Entries as JSON, one array, times also readable. */
export function auditJson(entries: readonly AuditEntryView[]): string {
  return `${JSON.stringify(
    entries.map((entry) => ({ ...entry, time: new Date(entry.atMs).toISOString() })),
    null,
    2,
  )}\n`;
}

/** `name=Frankfurt, role=viewer` */
export function detailText(detail: AuditEntryView['detail']): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ');
}

/** `globalLimitTps: 10000 → 8000; pacing.mode: off → paced` */
export function changesText(changes: AuditEntryView['changes']): string {
  return changes
    .map(({ field, before, after }) => `${field}: ${String(before ?? 'none')} → ${String(after ?? 'none')}`)
    .join('; ');
}

/** `audit-log-2026-11-30.csv` */
export function exportName(atMs: number, kind: 'csv' | 'json'): string {
  return `audit-log-${new Date(atMs).toISOString().slice(0, 10)}.${kind}`;
}
