import { ApiError, createClient, type Client, type Fetch } from '@weir/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ConnectionMonitor } from './connection.ts';
import { ConsoleClock } from './console-clock.ts';
import { queryKeys } from './query-keys.ts';

const now = (): number => Date.now();

/** Whether the console answers; fed by every query and mutation. */
export const connection: ConnectionMonitor = new ConnectionMonitor(now);

/** The console's clock. */
export const consoleClock: ConsoleClock = new ConsoleClock(now);

const observedFetch: Fetch = async (url, init) => {
  const answer = await fetch(url, init);
  consoleClock.observe(answer.headers.get('date'));
  return answer;
};

/** Calls the console that served this page. */
export const consoleClient: Client = createClient({ baseUrl: '', fetch: observedFetch, timeoutMs: 20_000 });

function failed(error: unknown): void {
  connection.failed(error);
  if (error instanceof ApiError && error.code === 'unauthenticated') queryClient.setQueryData(queryKeys.session, null);
}

/** All data of the pages. Queries poll by themselves, so that a failed one is not repeated in between. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onSuccess: connection.answered, onError: failed }),
  mutationCache: new MutationCache({ onSuccess: connection.answered, onError: failed }),
  defaultOptions: {
    // 'always': the console may be on this machine or in a network without internet.
    queries: { retry: false, networkMode: 'always', refetchOnWindowFocus: true, gcTime: 10 * 60_000 },
    mutations: { retry: false, networkMode: 'always' },
  },
});
