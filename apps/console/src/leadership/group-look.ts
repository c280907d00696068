import type { Leader } from '../ports/lease-store.ts';
import type { HeardConsole } from '../ports/roster.ts';
import { MISSING_AFTER_MS } from '../presence/presence-times.ts';
import { redisRoster } from '../presence/redis-roster.ts';
import { redisLease } from './redis-lease.ts';

/** What is seen of a group on Redis by somebody who does not belong to it, or not yet. */
export interface SeenGroup {
  /** Whether a console holds the lease. */
  readonly led: boolean;
  /** What that one tells; null also for one of another version that tells it differently. */
  readonly leader: Leader | null;
  /** Consoles that said in the last 15 s that they are there. */
  readonly consoles: readonly HeardConsole[];
}

/** What sends commands to Redis. */
interface Commands {
  readonly connections: number;
  sendCommand(args: readonly string[]): Promise<unknown>;
}

/** Looks at one group; nothing is changed. @param key of the group. @throws Error when Redis does not answer */
export async function lookAtGroup(redis: Commands, key: string): Promise<SeenGroup> {
  const lease = await redisLease(redis, leaseKey(key)).look();
  const listed = await redisRoster(redis, rosterKey(key)).list();
  return {
    led: lease.held === 'other',
    leader: lease.held === 'other' ? lease.holder : null,
    consoles: listed.filter(({ silentMs }) => silentMs < MISSING_AFTER_MS),
  };
}

/** Whether consoles of a group run. */
export function isAlive({ led, consoles }: SeenGroup): boolean {
  return led || consoles.length > 0;
}

/** Names those that were seen, for people. */
export function namesOf({ leader, consoles }: SeenGroup): string {
  const leads =
    leader === null ? [] : [`${leader.url}, which leads${leader.fence === null ? '' : ` (term ${leader.fence})`}`];
  const others = consoles.filter(({ url }) => url !== leader?.url).map(({ url, host }) => `${url} on ${host}`);
  return [...leads, ...others].join(', ') || 'a console that does not tell its address';
}

/** Key of the lease of a group. */
export function leaseKey(key: string): string {
  return `${key}:leader`;
}

/** Key of the list of its consoles. */
export function rosterKey(key: string): string {
  return `${key}:consoles`;
}

/** Keys that are looked through in one turn: well below a millisecond. */
const KEYS_PER_TURN = 1_000;
/** A Redis that holds what is Weir's alone is looked through at once; millions of other keys keep no start waiting. */
const TURNS = 500;
const GROUP_KEY = /^(weir:[0-9a-f]{16}):(leader|consoles)$/;

/**
 * The groups of other secrets that run on the same database of Redis.
 * @returns `whole`: whether all keys were looked through, which are half a million at most
 * @throws Error when Redis does not answer, or does not let us look
 */
export async function otherGroups(redis: Commands, ownKey: string): Promise<{ alive: SeenGroup[]; whole: boolean }> {
  const keys = new Set<string>();
  let cursor = '0';
  let turns = 0;
  do {
    const reply = await redis.sendCommand(['SCAN', cursor, 'MATCH', 'weir:*', 'COUNT', String(KEYS_PER_TURN)]);
    if (!Array.isArray(reply) || !Array.isArray(reply[1])) throw new Error('Redis answered what SCAN does not.');
    cursor = String(reply[0]);
    for (const found of reply[1]) {
      const [, key] = GROUP_KEY.exec(String(found)) ?? [];
      if (key !== undefined && key !== ownKey) keys.add(key);
    }
    turns += 1;
  } while (cursor !== '0' && turns < TURNS);
  const seen: SeenGroup[] = [];
  for (const key of keys) seen.push(await lookAtGroup(redis, key));
  return { alive: seen.filter(isAlive), whole: cursor === '0' };
}
