import { MAX_AUDIT_PAGE, type AuditEntryView, type AuditPage, type AuditQuery } from '@weir/protocol';
import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { consoleClient } from './console.ts';
import { queryKeys } from './query-keys.ts';

/** Which entries are wanted. */
export type AuditFilter = Pick<AuditQuery, 'actor' | 'action' | 'text' | 'fromMs' | 'toMs'>;

/** Entries on the page at first, and with each further page. */
const PAGE = 50;

/** The audit log, newest first, page after page. */
export function useAuditLog(filter: AuditFilter): UseInfiniteQueryResult<InfiniteData<AuditPage>> {
  return useInfiniteQuery({
    queryKey: [...queryKeys.auditLog, filter],
    queryFn: ({ pageParam, signal }) =>
      consoleClient.call('auditLog', {
        query: { ...filter, limit: PAGE, ...(pageParam === null ? {} : { before: pageParam }) },
        signal,
      }),
    initialPageParam: null as number | null,
    getNextPageParam: (last) => last.next,
    placeholderData: (previous) => previous,
  });
}

/** Reads every entry that fits, from the newest on. */
export async function readWholeAuditLog(
  filter: AuditFilter,
  onProgress: (entries: number) => void,
): Promise<AuditEntryView[]> {
  const entries: AuditEntryView[] = [];
  let before: number | null = null;
  do {
    const query: Partial<AuditQuery> = { ...filter, limit: MAX_AUDIT_PAGE, ...(before === null ? {} : { before }) };
    const page: AuditPage = await consoleClient.call('auditLog', { query });
    entries.push(...page.entries);
    before = page.next;
    onProgress(entries.length);
  } while (before !== null);
  return entries;
}
