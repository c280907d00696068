import { hostname } from 'node:os';
import { redisPlace } from '../config/places.ts';
import type { RedisConnection } from '../host/redis-connection.ts';
import { rosterKey } from '../leadership/group-look.ts';
import type { GroupStorage } from '../ports/group-storage.ts';
import type { ConsoleSelf } from '../ports/roster.ts';
import { systemRandom } from '../security/random-source.ts';
import { Presence, type PresenceOptions } from './presence.ts';
import { redisRoster } from './redis-roster.ts';

/** What a console of a group gives for its presence. */
interface Given extends Pick<PresenceOptions, 'clock' | 'log' | 'differs'>, Pick<ConsoleSelf, 'url' | 'version'> {
  readonly redisUrl: string;
  readonly database: Pick<GroupStorage, 'newestFence'>;
  /** Begin of the group's keys. */
  readonly groupKey: string;
}

/** The place of this console on the list that its group keeps on Redis; it says nothing before it is started. */
export function groupPresence(redis: RedisConnection, given: Given): Presence {
  const { url, version, redisUrl, database, groupKey, ...surroundings } = given;
  return new Presence({
    ...surroundings,
    self: { consoleId: systemRandom.id('con'), url, host: hostname(), version },
    store: redisRoster(redis, rosterKey(groupKey)),
    place: redisPlace(redisUrl),
    askDatabase: () => database.newestFence(),
  });
}
