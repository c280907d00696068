import { useDeferredValue, useState, type ReactElement } from 'react';
import type { AuditEntryView } from '@weir/protocol';
import { readWholeAuditLog, useAuditLog, type AuditFilter } from '../../data/audit-log.ts';
import { useMay } from '../../data/session.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ChangeList } from '../../components/change-list.tsx';
import { cx } from '../../components/class-names.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { saveFile } from '../../components/save-file.ts';
import { Cell, Column, RowHeader, Table } from '../../components/table.tsx';
import { toastDone, toastError } from '../../components/toasts.tsx';
import { formatCount, formatPlural } from '../../format/numbers.ts';
import { formatMoment } from '../../format/time.ts';
import { ACTION_KINDS, actionWords } from '../../words/audit-words.ts';
import { auditCsv, auditJson, detailText, exportName } from './audit-export.ts';
import { filterOf, NO_FILTER, type FilterDraft } from './audit-filter.ts';
import styles from './audit-log.module.css';

/** Who did what, when and from where. */
export function AuditLogSection(): ReactElement {
  const may = useMay('admin');
  if (may) return <AuditLog />;
  return (
    <Card>
      <EmptyState icon="clock" title="Only administrators see the audit log">
        It says who did what, when and from where.
      </EmptyState>
    </Card>
  );
}

function AuditLog(): ReactElement {
  const [draft, setDraft] = useState(NO_FILTER);
  const filter = filterOf(useDeferredValue(draft));
  const log = useAuditLog(filter);
  return (
    <Card
      title="Audit log"
      description="Newest first. Secrets are never in it."
      flush
      actions={<Export filter={filter} />}
    >
      <Filters draft={draft} onChange={setDraft} />
      <QueryState query={log} placeholderHeight={420}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries);
          return (
            <div className={cx(log.isPlaceholderData && styles.stale)}>
              {entries.length === 0 ? (
                <EmptyState icon="search" title="No entry fits">
                  Widen the time or clear a field.
                </EmptyState>
              ) : (
                <Entries entries={entries} />
              )}
              <div className={styles.more}>
                {log.hasNextPage && (
                  <Button small busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
                    Show older entries
                  </Button>
                )}
                <span>
                  {formatPlural(entries.length, 'entry', 'entries')} shown{log.hasNextPage ? '' : ', all that fit'}. The
                  console keeps the last {formatCount(pages[0]?.kept ?? 0)}.
                </span>
              </div>
            </div>
          );
        }}
      </QueryState>
    </Card>
  );
}

function Filters({ draft, onChange }: { draft: FilterDraft; onChange: (draft: FilterDraft) => void }): ReactElement {
  const text = (key: keyof FilterDraft) => ({
    value: draft[key],
    onChange: (event: { target: { value: string } }) => onChange({ ...draft, [key]: event.target.value }),
  });
  return (
    <search className={styles.filters}>
      <TextField label="Text" type="search" placeholder="name, id, address" maxLength={100} {...text('text')} />
      <TextField
        label="By whom"
        placeholder="admin"
        maxLength={128}
        autoCapitalize="none"
        spellCheck={false}
        {...text('actor')}
      />
      <SelectField label="What" {...text('action')}>
        {ACTION_KINDS.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <TextField label="From" type="date" {...text('from')} />
      <TextField label="To" type="date" {...text('to')} />
    </search>
  );
}

function saveEntries(kind: 'csv' | 'json', entries: readonly AuditEntryView[]): void {
  const name = exportName(Date.now(), kind);
  if (kind === 'csv') saveFile(name, 'text/csv', auditCsv(entries));
  else saveFile(name, 'application/json', auditJson(entries));
}

function Export({ filter }: { filter: AuditFilter }): ReactElement {
  const [busy, setBusy] = useState<{ kind: 'csv' | 'json'; entries: number } | null>(null);
  const run = async (kind: 'csv' | 'json'): Promise<void> => {
    setBusy({ kind, entries: 0 });
    try {
      const entries = await readWholeAuditLog(filter, (read) => setBusy({ kind, entries: read }));
      saveEntries(kind, entries);
      toastDone(`${formatPlural(entries.length, 'entry', 'entries')} exported`);
    } catch (error) {
      toastError(error);
    }
    setBusy(null);
  };
  return (
    <div className={styles.actions}>
      {(['csv', 'json'] as const).map((kind) => (
        <Button key={kind} small busy={busy !== null} onClick={() => void run(kind)}>
          {busy?.kind === kind ? `${formatCount(busy.entries)} read…` : `Export ${kind.toUpperCase()}`}
        </Button>
      ))}
    </div>
  );
}

function Entries({ entries }: { entries: readonly AuditEntryView[] }): ReactElement {
  return (
    <Table
      label="Audit log"
      head={
        <>
          <Column>When</Column>
          <Column>Who</Column>
          <Column>What</Column>
          <Column>To what</Column>
          <Column>From where</Column>
        </>
      }
    >
      {entries.map(({ entry, atMs, actor, action, subject, address, detail, changes }) => (
        <tr key={entry}>
          <Cell name="When" className={styles.moment}>
            <time dateTime={new Date(atMs).toISOString()}>{formatMoment(atMs)}</time>
          </Cell>
          <RowHeader>{actor}</RowHeader>
          <Cell name="What">
            {actionWords(action)}
            <span className={styles.code}>{action}</span>
          </Cell>
          <Cell name="To what" className={styles.breakable}>
            {subject}
            <Detail detail={detail} />
            {changes.length > 0 && <ChangeList changes={changes} />}
          </Cell>
          <Cell name="From where" className={styles.moment}>
            {address ?? 'the console itself'}
          </Cell>
        </tr>
      ))}
    </Table>
  );
}

/** Values of one entry that are in sight. Entries from before changes were written down hold whole settings. */
const IN_SIGHT = 6;

function Detail({ detail }: { detail: AuditEntryView['detail'] }): ReactElement | null {
  const values = Object.keys(detail).length;
  if (values === 0) return null;
  if (values <= IN_SIGHT) return <span className={styles.remark}>{detailText(detail)}</span>;
  return (
    <details className={styles.whole}>
      <summary>All {values} values as they were saved</summary>
      <span className={styles.remark}>{detailText(detail)}</span>
    </details>
  );
}
