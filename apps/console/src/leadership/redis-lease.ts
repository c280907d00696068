import { z } from 'zod';
import type { LeaseAnswer, Leader, LeaseStore } from '../ports/lease-store.ts';
import { readShared } from '../validation/shared-text.ts';
import { LEASE_MS } from './lease-times.ts';

/** How long it is remembered that the lease was given back, in ms: no key stays for ever. */
const RELEASED_MS = 3_600_000;
const RELEASED = 'released';

/**
 * A value is the id of the term, then what others are told. One without a deadline is not of a console, or somebody took its
 * deadline away: it gets one, as nobody would lead for ever otherwise. A value that stays the same only gets its deadline anew,
 * which a Redis that is full does not refuse.
 */
const CLAIM = `
local value = redis.call('GET', KEYS[1])
local own = value and string.sub(value, 1, #ARGV[1]) == ARGV[1]
if own and value == ARGV[1] .. ARGV[2] then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return { 1 }
end
if own or value == '${RELEASED}' or (not value and ARGV[4] == '1') then
  redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2], 'PX', ARGV[3])
  return { 1 }
end
if not value then return { 0 } end
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  left = tonumber(ARGV[3])
end
return { 0, value, left }
`;

const LOOK = `
local value = redis.call('GET', KEYS[1])
if not value or value == '${RELEASED}' then return { 0 } end
return { 0, value, redis.call('PTTL', KEYS[1]) }
`;

const RELEASE = `
local value = redis.call('GET', KEYS[1])
if value and string.sub(value, 1, #ARGV[1]) == ARGV[1] then
  redis.call('SET', KEYS[1], '${RELEASED}', 'PX', ARGV[2])
end
return 1
`;

const lease = z.object({
  url: z.url({ protocol: /^https?$/ }),
  fence: z.number().nullable(),
  version: z.string(),
  secrets: z.string(),
  database: z.string().nullable().default(null),
  schema: z.number().nullable().default(null),
});

/** What sends commands to Redis. */
interface Commands {
  /** How often a connection was made. */
  readonly connections: number;
  sendCommand(args: readonly string[]): Promise<unknown>;
}

/**
 * The lease as a key of Redis, with a deadline at any moment.
 * @param key of the group
 */
export function redisLease(redis: Commands, key: string): LeaseStore {
  return {
    get run() {
      return redis.connections;
    },
    async claim(id, holder, takeMissing) {
      const own = `${id} `;
      const args = [own, JSON.stringify(holder), String(LEASE_MS), takeMissing ? '1' : '0'];
      return answerOf(await redis.sendCommand(['EVAL', CLAIM, '1', key, ...args]));
    },
    async look() {
      const answer = answerOf(await redis.sendCommand(['EVAL', LOOK, '1', key]));
      return answer.held === 'own' ? { held: 'missing' } : answer;
    },
    async release(id) {
      await redis.sendCommand(['EVAL', RELEASE, '1', key, `${id} `, String(RELEASED_MS)]);
    },
  };
}

function answerOf(reply: unknown): LeaseAnswer {
  if (!Array.isArray(reply)) throw new Error('Redis answered what no script of ours returns.');
  const [own, value, remainingMs]: unknown[] = reply;
  if (Number(own) === 1) return { held: 'own' };
  if (typeof value !== 'string') return { held: 'missing' };
  return { held: 'other', holder: holderOf(value), remainingMs: Number(remainingMs) };
}

/** Null for what a console of another version may have written: it holds the lease all the same. */
function holderOf(value: string): Leader | null {
  return readShared(lease, value.slice(value.indexOf(' ') + 1));
}
