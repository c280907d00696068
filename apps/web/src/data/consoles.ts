import type { ConsolesView } from '@weir/protocol';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { consoleClient } from './console.ts';
import { pollEvery } from './polling.ts';
import { queryKeys } from './query-keys.ts';

/** Consoles say every 5 s that they are there; one that does not is missing after 15 s. */
const POLL_MS = 10_000;

/** Which consoles there are. One that is alone stays so while it runs: it is asked once for every page that shows it. */
export function useConsoles(): UseQueryResult<ConsolesView> {
  const every = pollEvery(POLL_MS);
  return useQuery({
    queryKey: queryKeys.consoles,
    queryFn: ({ signal }) => consoleClient.call('consoles', { signal }),
    refetchInterval: (query) => (query.state.data?.group === null ? false : every(query)),
  });
}
