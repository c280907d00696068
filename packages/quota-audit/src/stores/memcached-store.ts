import { deadlineAt, hostClock, QuotaError, type Clock } from '@weir/quota';
import {
  expiryOf,
  type Expiry,
  type Key,
  type MemcachedClient,
  type MemcachedServerClient,
  type MetaItem,
} from '@weir/quota-memcached';
import { isInteger } from '../findings/judge.ts';
import { matchesGlob } from '../names/glob.ts';
import type { AuditedStore, Change, ListedKey, Look, LookRequest, Outcome, Page } from './audited-store.ts';
import { bytesOf } from './redis-nodes.ts';

const PAGE_KEYS = 100;

const VALUE_CHARACTERS = 64;

/** An entry of more bytes than this holds no counter: the longest key, 20 digits, and the server's own header. */
const MAX_COUNTER_BYTES = 512;

/** How often a change is tried again because somebody counted meanwhile. */
const MOST_ATTEMPTS = 5;

/**
 * memcached 1.6 and newer, by `lru_crawler metadump` and the meta commands. The dump tells deadlines and sizes, so only entries
 * with a finding are read: reading an entry makes it younger in the server's eyes.
 * @param client of one or several servers; the caller closes it.
 */
export function memcachedAuditedStore(client: MemcachedClient, clock: Clock = hostClock): AuditedStore {
  const [first] = client.servers;
  if (first === undefined) throw new Error('a memcached client has a server');
  const byName = new Map(client.servers.map((server) => [server.name, server]));
  const serverOf = ({ node }: { node: string }): MemcachedServerClient => byName.get(node) ?? first;
  // Deadlines are told as time left, so they are read by the server's clock.
  let aheadMs = 0;
  const readClock = async (): Promise<number> => {
    const seconds = Number((await first.stats()).get('time'));
    aheadMs = seconds * 1_000 - clock();
    return seconds * 1_000;
  };
  return {
    kind: 'memcached',
    resumable: false,
    list: (_from, match) => pages(client, match, () => clock() + aheadMs),
    look: (requests) => Promise.all(requests.map((request) => lookAt(serverOf(request), request, clock() + aheadMs))),
    count: async () => {
      const stats = await Promise.all(client.servers.map((server) => server.stats()));
      return stats.reduce((sum, fields) => sum + Number(fields.get('curr_items') ?? 0), 0);
    },
    now: readClock,
    ping: async () => {
      await Promise.all(client.servers.map((server) => server.mn()));
    },
    change: async (changes) => {
      const nowMs = await readClock();
      return Promise.all(changes.map((change) => apply(serverOf(change), change, nowMs).catch(asError)));
    },
  };
}

async function* pages(
  client: MemcachedClient,
  match: string | undefined,
  now: () => number,
): AsyncGenerator<Page, void, undefined> {
  const pattern = match === undefined ? undefined : bytesOf(match);
  let keys: ListedKey[] = [];
  for await (const { keyLatin1, server, expiresAtSeconds, sizeBytes } of client.dump()) {
    if (pattern !== undefined && !matchesGlob(pattern, keyLatin1)) continue;
    const deadlineMs = expiresAtSeconds === -1 ? undefined : expiresAtSeconds * 1_000;
    // The crawler lists what has expired and was not reclaimed yet.
    if (deadlineMs !== undefined && deadlineMs <= now()) continue;
    keys.push({ key: keyLatin1, node: server, listed: { deadlineMs, sizeBytes } });
    if (keys.length < PAGE_KEYS) continue;
    yield { keys, next: undefined };
    keys = [];
  }
  if (keys.length > 0) yield { keys, next: undefined };
}

/** Keys of other bytes travel as bytes. */
function wireKey(key: string): Key {
  return /^[!-~]+$/.test(key) ? key : Buffer.from(key, 'latin1');
}

async function lookAt(server: MemcachedServerClient, request: LookRequest, nowMs: number): Promise<Look | undefined> {
  const { listed } = request;
  if (listed !== undefined && listed.sizeBytes > MAX_COUNTER_BYTES) return { ...listed, value: '' };
  const item = await find(server, request.key);
  if (item === undefined) return undefined;
  const deadlineMs = item.remainingSeconds === -1 ? undefined : nowMs + item.remainingSeconds * 1_000;
  return { deadlineMs, value: item.latin1.slice(0, VALUE_CHARACTERS), sizeBytes: listed?.sizeBytes };
}

/** A binary key that is too long to be asked for counts as absent. */
async function find(server: MemcachedServerClient, key: string): Promise<MetaItem | undefined> {
  try {
    return await server.mg(wireKey(key));
  } catch (error) {
    if (error instanceof QuotaError && error.code === 'invalid-argument') return undefined;
    throw error;
  }
}

async function apply(server: MemcachedServerClient, change: Change, nowMs: number): Promise<Outcome> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const item = await find(server, change.key);
    if (item === undefined) return 'gone';
    const outcome = change.do === 'date' ? await date(server, change, item, nowMs) : await remove(server, change, item);
    if (outcome !== 'again') return outcome;
  }
  return 'changed';
}

/**
 * By a touch, whose reply tells the deadline that the entry had at that moment: if somebody dated it between our look and our
 * write, it gets that deadline back. Not by `ma` with a `cas` token: memcached 1.6.18 dates the wrong copy of an entry
 * that is being moved in its LRU, and says that it was dated.
 */
async function date(
  server: MemcachedServerClient,
  change: Change & { do: 'date' },
  item: MetaItem,
  nowMs: number,
): Promise<Outcome> {
  if (!isInteger(item.latin1)) return 'changed';
  const isKept = (leftSeconds: number): boolean => {
    const isLater = leftSeconds * 1_000 > change.deadlineMs - nowMs;
    return leftSeconds !== -1 && (change.only === 'undated' || !isLater);
  };
  if (isKept(item.remainingSeconds)) return 'kept';
  const touched = await server.mg(wireKey(change.key), expiryAt(change.deadlineMs, nowMs));
  if (touched === undefined) return 'gone';
  if (!isKept(touched.remainingSeconds)) return 'done';
  await server.mg(wireKey(change.key), expiryAt(nowMs + Math.max(1, touched.remainingSeconds) * 1_000, nowMs));
  return 'kept';
}

function expiryAt(deadlineMs: number, nowMs: number): Expiry {
  return expiryOf(deadlineAt(deadlineMs, nowMs), nowMs);
}

async function remove(
  server: MemcachedServerClient,
  { key, value, undated }: Change & { do: 'delete' },
  item: MetaItem,
): Promise<Outcome | 'again'> {
  if (item.latin1 !== value) return 'changed';
  if ((item.remainingSeconds === -1) !== undated) return 'kept';
  const removed = await server.md(wireKey(key), item.cas);
  if (removed === 'absent') return 'gone';
  return removed === 'changed' ? 'again' : 'done';
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
