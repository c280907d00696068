import { namedOption } from '../config/option-ways.ts';
import type { FoundDatabase } from '../ports/group-storage.ts';
import { otherDatabase, SAME_DATABASE } from './differences.ts';
import { namesOf, type SeenGroup } from './group-look.ts';

/** What was seen on Redis before the database was touched. */
export interface SeenBefore {
  /** The group of this console's secrets; null: Redis is away, so nothing could be seen. */
  readonly own: SeenGroup | null;
  /** Why nothing could be seen; null: it could. */
  readonly reason: string | null;
  /** Groups of other secrets that run on the same database of Redis. */
  readonly others: readonly SeenGroup[];
}

/**
 * Why a console may not use the database, by what was seen on Redis before: whoever was there had a database by then. Null: it may.
 * What is refused is left as it is.
 */
export function refusalToJoin({ own, reason, others }: SeenBefore, found: FoundDatabase): string | null {
  const { name, isEmpty, identity } = found;
  const leader = own?.leader ?? null;
  if (leader !== null && leader.database !== null && identity !== null && leader.database !== identity) {
    return otherDatabase(identity, leader);
  }
  if (own !== null && isAnother(own, found)) {
    return (
      `The database ${name} ${isEmpty ? 'is empty' : 'is not that of a group'}, and the group of this console has another one: ` +
      `${namesOf(own)}. ${SAME_DATABASE}`
    );
  }
  if (own === null && isEmpty) {
    return (
      `The database ${name} is empty, and whether the group of this console has another one cannot be seen on Redis (${reason}). ` +
      `Start Redis first, or correct ${namedOption('redisUrl')} or ${namedOption('storageUrl')}.`
    );
  }
  const [other] = others;
  if (other !== undefined && found.terms === 0) {
    return (
      `Another group of consoles runs on this database of Redis, with other secrets than this console: ${namesOf(other)}. ` +
      `On the database ${name} this one would begin a group of its own, with a budget of its own. ` +
      `To join that group, copy its secrets.json and manifest-key.pem into the data directory and give its database; ${OWN_REDIS}`
    );
  }
  return null;
}

/** What a console says that may use its database all the same; null: nothing. */
export function warningOfOthers({ others: [other] }: SeenBefore): string | null {
  if (other === undefined) return null;
  return (
    `Another group of consoles runs on the same database of Redis: ${namesOf(other)}. Each grants a budget of its own, and their ` +
    `overshoot guards count in the same counters. If they should be one group, stop the wrong one; ${OWN_REDIS}`
  );
}

const OWN_REDIS = `for a group of its own, give another database number of Redis, as in redis://host:6379/2, with ${namedOption('redisUrl')}.`;

/** Whoever leads, or is there, has made its database what a group needs. */
function isAnother({ led, leader, consoles }: SeenGroup, { isEmpty, identity }: FoundDatabase): boolean {
  if (isEmpty) return led || consoles.length > 0;
  return identity === null && leader !== null && leader.database !== null;
}
