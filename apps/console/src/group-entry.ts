import type { FastifyBaseLogger } from 'fastify';
import { InvalidConsoleOptions } from './config/console-options.ts';
import { connectRedis, RedisRefused, type RedisConnection } from './host/redis-connection.ts';
import { lookAtGroup, otherGroups, type SeenGroup } from './leadership/group-look.ts';
import { groupKey, type SharedSecrets } from './leadership/group-secrets.ts';
import { refusalToJoin, type SeenBefore, warningOfOthers } from './leadership/joining.ts';
import type { Clock } from './ports/clock.ts';
import type { GroupStorage } from './ports/group-storage.ts';
import { UnusableDatabase } from './ports/unusable-database.ts';
import { openGroupStorage } from './storage/open-storage.ts';

/** What a console gives that wants to be one of a group. */
interface Given {
  readonly storageUrl: string;
  readonly redisUrl: string;
  readonly secrets: SharedSecrets;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly migrations: readonly string[] | undefined;
  /** Asked last, while nobody else may change the database. */
  readonly admit: () => Promise<void>;
}

/**
 * Looks at Redis, who is there, and then at the database: one that the group cannot have is left as it is, also when it is empty.
 * @throws UnusableDatabase; InvalidConsoleOptions when Redis does not let us in
 */
export async function enterGroup(given: Given): Promise<{ redis: RedisConnection; database: GroupStorage }> {
  const { storageUrl, redisUrl, secrets, clock, logger, migrations, admit } = given;
  const redis = await admitted(redisUrl, logger);
  try {
    const seen = await seenOn(redis, groupKey(secrets), logger);
    const judge = (found: Parameters<typeof refusalToJoin>[1]): void => {
      const refusal = refusalToJoin(seen, found);
      if (refusal !== null) throw new UnusableDatabase(refusal);
    };
    const database = await openGroupStorage(storageUrl, { clock, log: logger, migrations, joining: { judge, admit } });
    const warning = warningOfOthers(seen);
    if (warning !== null) logger.error({}, warning);
    return { redis, database };
  } catch (error) {
    // Its connection would keep a process that was refused from ending.
    redis.close();
    throw error;
  }
}

async function admitted(redisUrl: string, logger: FastifyBaseLogger): Promise<RedisConnection> {
  return connectRedis(redisUrl, logger).catch((error: unknown) => {
    if (!(error instanceof RedisRefused)) throw error;
    throw new InvalidConsoleOptions([{ field: 'redisUrl', problem: `is refused: ${error.message}` }]);
  });
}

async function seenOn(redis: RedisConnection, key: string, logger: FastifyBaseLogger): Promise<SeenBefore> {
  let own: SeenGroup;
  try {
    own = await lookAtGroup(redis, key);
  } catch (error) {
    return { own: null, reason: error instanceof Error ? error.message : String(error), others: [] };
  }
  try {
    const { alive, whole } = await otherGroups(redis, key);
    if (!whole)
      logger.warn(
        {},
        'Redis holds too many keys to look for other groups of consoles: give Weir a database number of its own',
      );
    return { own, reason: null, others: alive };
  } catch (error) {
    logger.warn(
      { error: String(error) },
      'whether other groups of consoles use this Redis could not be seen (SCAN is needed for it)',
    );
    return { own, reason: null, others: [] };
  }
}
