import { createHash } from 'node:crypto';
import { hostClock, type Clock } from '@weir/quota';
import type { AuditedStore, Change, ListedKey, Look, LookRequest, Outcome, Page } from './audited-store.ts';
import { bulkIn, bytesOf, numberIn, sendOne, type RedisNode } from './redis-nodes.ts';

/** Keys per SCAN. Small, so that nobody waits long behind one; the pace is set by the caller. */
const SCAN_COUNT = 100;

/** Keys looked at in one write: the server serves nobody else while it works through what one connection sent. */
const LOOK_KEYS = 25;

/** Characters of a value that are fetched: a counter has at most 20. */
const VALUE_CHARACTERS = 64;

// Dates an entry. ARGV: deadline in epoch ms, `undated` or `later`, time left above which a deadline counts as later, in ms.
const DATE = script(`
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return 'gone' end
if kind ~= 'string' or not string.match(redis.call('GETRANGE', KEYS[1], 0, 63), '^%-?%d+ *$') then return 'changed' end
local left = redis.call('PTTL', KEYS[1])
if left ~= -1 and (ARGV[2] == 'undated' or left <= tonumber(ARGV[3])) then return 'kept' end
redis.call('PEXPIREAT', KEYS[1], ARGV[1])
return 'done'`);

// Deletes an entry. ARGV: the value it must have, `undated` or `dated`.
const DELETE = script(`
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return 'gone' end
if kind ~= 'string' or redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'changed' end
if (redis.call('PTTL', KEYS[1]) == -1) ~= (ARGV[2] == 'undated') then return 'kept' end
redis.call('DEL', KEYS[1])
return 'done'`);

interface Script {
  readonly text: string;
  readonly sha: string;
}

function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/** Where to read, and whose time it is. */
export interface RedisAuditedStoreOptions {
  /** Replicas to read from, one for each node and in their order; default the nodes themselves. */
  readonly readers?: readonly RedisNode[];
  /** Our clock in ms; what matters is its difference to the server's. Default `Date.now`. */
  readonly clock?: Clock;
}

/**
 * Redis and Valkey.
 * @param nodes the server, or every primary of a cluster; changes go here.
 */
export function redisAuditedStore(
  nodes: readonly RedisNode[],
  { readers = nodes, clock = hostClock }: RedisAuditedStoreOptions = {},
): AuditedStore {
  const [first] = nodes;
  if (first === undefined || readers.length !== nodes.length) throw new Error('one reader is needed for each node');
  // Deadlines are told as time left, so they are read by the server's clock.
  let aheadMs = 0;
  const readClock = async (): Promise<number> => {
    const nowMs = await clockOf(first);
    aheadMs = nowMs - clock();
    return nowMs;
  };
  const readerOf = new Map(nodes.map((node, index) => [node.name, readers[index] ?? node]));
  return {
    kind: 'redis',
    resumable: true,
    list: (from, match) => scan(nodes, readers, from, match),
    look: async (requests) => {
      const looks: (Look | undefined)[] = [];
      for (let at = 0; at < requests.length; at += LOOK_KEYS) {
        const chunk = requests.slice(at, at + LOOK_KEYS);
        const pending = chunk.map((request) => lookAt(readerOf.get(request.node) ?? first, request, clock() + aheadMs));
        looks.push(...(await Promise.all(pending)));
      }
      return looks;
    },
    count: async () => {
      const sizes = await Promise.all(readers.map(async (reader) => numberIn(await sendOne(reader, 'DBSIZE'))));
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    now: readClock,
    ping: async () => {
      await Promise.all(readers.map((reader) => sendOne(reader, 'PING')));
    },
    change: async (changes) => {
      const nowMs = await readClock();
      const byName = new Map(nodes.map((node) => [node.name, node]));
      return Promise.all(
        changes.map((change) => apply(byName.get(change.node) ?? first, change, nowMs).catch(asError)),
      );
    },
  };
}

async function* scan(
  nodes: readonly RedisNode[],
  readers: readonly RedisNode[],
  from: string | undefined,
  match: string | undefined,
): AsyncGenerator<Page, void, undefined> {
  // A cursor of ours is the number of the node and the cursor there.
  const [startNode = '0', startCursor = '0'] = (from ?? '0 0').split(' ');
  for (let index = Number(startNode); index < nodes.length; index += 1) {
    const reader = readers[index];
    const node = nodes[index]?.name ?? '';
    if (reader === undefined) return;
    let cursor = index === Number(startNode) ? startCursor : '0';
    do {
      const filter = match === undefined ? [] : ['MATCH', bytesOf(match)];
      const reply = await sendOne(reader, 'SCAN', cursor, ...filter, 'COUNT', String(SCAN_COUNT));
      const { next, keys } = scanReply(reply);
      cursor = next;
      const last = cursor === '0' && index === nodes.length - 1;
      const place = cursor === '0' ? `${index + 1} 0` : `${index} ${cursor}`;
      yield { keys: keys.map((key): ListedKey => ({ key, node })), next: last ? undefined : place };
    } while (cursor !== '0');
  }
}

function scanReply(reply: unknown): { next: string; keys: string[] } {
  const [next, keys]: unknown[] = Array.isArray(reply) ? reply : [];
  if (!Array.isArray(keys)) throw new Error(`Redis answered ${JSON.stringify(reply)?.slice(0, 80)} to SCAN`);
  return { next: String(next), keys: keys.filter((key): key is string => typeof key === 'string') };
}

async function lookAt(reader: RedisNode, { key, sized }: LookRequest, nowMs: number): Promise<Look | undefined> {
  const commands: string[][] = [
    ['PTTL', key],
    ['GETRANGE', key, '0', String(VALUE_CHARACTERS - 1)],
  ];
  if (sized) commands.push(['MEMORY', 'USAGE', key]);
  const [left, value, size] = await Promise.allSettled(reader.sendAll(commands));
  if (left === undefined || left.status === 'rejected') throw asError(left?.reason);
  const leftMs = numberIn(left.value);
  if (leftMs === -2) return undefined;
  const deadlineMs = leftMs === -1 ? undefined : nowMs + leftMs;
  const sizeBytes = size?.status === 'fulfilled' && size.value !== null ? numberIn(size.value) : undefined;
  if (value?.status === 'fulfilled') return { deadlineMs, value: bulkIn(value.value), sizeBytes };
  const failure = asError(value?.reason);
  if (!failure.message.startsWith('WRONGTYPE')) throw failure;
  return { deadlineMs, value: null, sizeBytes };
}

async function clockOf(node: RedisNode): Promise<number> {
  const reply = await sendOne(node, 'TIME');
  const [seconds, micros]: unknown[] = Array.isArray(reply) ? reply : [];
  return numberIn(seconds) * 1_000 + Math.floor(numberIn(micros) / 1_000);
}

async function apply(node: RedisNode, change: Change, nowMs: number): Promise<Outcome> {
  const args =
    change.do === 'date'
      ? [String(change.deadlineMs), change.only, String(change.deadlineMs - nowMs)]
      : [change.value, change.undated ? 'undated' : 'dated'];
  const reply = await run(node, change.do === 'date' ? DATE : DELETE, change.key, args);
  if (reply === 'done' || reply === 'gone' || reply === 'kept' || reply === 'changed') return reply;
  throw new Error(`Redis answered ${JSON.stringify(reply)} to a change`);
}

/** By its hash; a server that does not know it did nothing and gets the text. */
async function run(node: RedisNode, { text, sha }: Script, key: string, args: readonly string[]): Promise<unknown> {
  try {
    return await sendOne(node, 'EVALSHA', sha, '1', key, ...args);
  } catch (error) {
    if (!asError(error).message.startsWith('NOSCRIPT')) throw error;
    return sendOne(node, 'EVAL', text, '1', key, ...args);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
