import type { Draw, Drawn } from '@weir/quota';
import type { RedisCommands } from '../redis-commands.ts';
import { asArray, asNumber, deadOnArrival, notACounter } from '../replies.ts';
import { toQuotaError } from '../reply-errors.ts';

/**
 * `INCREX key BYINT n UBOUND limit PXAT deadline ENX` (Redis 8.8, Valkey 9.2): raises within the bound and dates a counter that
 * has no deadline, in one native command. Out of bounds it changes nothing and answers `[total, 0]`.
 */
export function increxCommand({ key, amount, limit, deadline }: Draw): readonly string[] {
  return ['INCREX', key, 'BYINT', String(amount), 'UBOUND', String(limit), 'PXAT', String(deadline), 'ENX'];
}

/** What INCREX could not decide goes on to the script. */
export type ByScript = (draws: readonly Draw[]) => Promise<readonly (Drawn | Error)[]>;

/**
 * Draws by one INCREX each. A draw that does not fit whole goes on to the script, which grants the part that fits, and heals
 * the counter, as a refused INCREX leaves one without a deadline as it is.
 * @param draws of one slot, with distinct keys.
 */
export async function takeByIncrex(
  commands: RedisCommands,
  draws: readonly Draw[],
  byScript: ByScript,
): Promise<readonly (Drawn | Error)[]> {
  const replies = await Promise.allSettled(commands.sendAll(draws.map(increxCommand), draws[0]?.key));
  const results: (Drawn | Error)[] = [];
  const created: number[] = [];
  const unfit: number[] = [];
  draws.forEach((draw, index) => {
    const reply = replies[index];
    if (reply?.status !== 'fulfilled') {
      results[index] = toQuotaError(reply?.reason);
      return;
    }
    const [total, granted] = asArray(reply.value, 2).map(asNumber);
    if (total === undefined || granted === undefined || total < granted) results[index] = notACounter(draw.key);
    else if (granted === 0) unfit.push(index);
    else {
      const isNew = total === granted;
      if (isNew) created.push(index);
      // Clients read integers close to 2^53 wrongly by one; the server never goes over the limit.
      const drawn = { granted: Math.min(granted, draw.amount), total: Math.min(total, draw.limit) };
      results[index] = isNew && draw.seen !== undefined ? { ...drawn, vanished: true } : drawn;
    }
  });
  await Promise.all([fillIn(results, draws, unfit, byScript), checkAlive(commands, results, draws, created)]);
  return results;
}

async function fillIn(
  results: (Drawn | Error)[],
  draws: readonly Draw[],
  indices: readonly number[],
  byScript: ByScript,
): Promise<void> {
  if (indices.length === 0) return;
  const again = indices.flatMap((index) => draws[index] ?? []);
  const drawn = await byScript(again).catch((error: unknown) => again.map(() => toQuotaError(error)));
  indices.forEach((index, position) => {
    results[index] = drawn[position] ?? notACounter(draws[index]?.key ?? '');
  });
}

/** A deadline in the past deletes the counter at once, and the limit would never bite; only a new counter can suffer it. */
async function checkAlive(
  commands: RedisCommands,
  results: (Drawn | Error)[],
  draws: readonly Draw[],
  created: readonly number[],
): Promise<void> {
  if (created.length === 0) return;
  const keys = created.map((index) => draws[index]?.key ?? '');
  const replies = await Promise.allSettled(
    commands.sendAll(
      keys.map((key) => ['EXISTS', key]),
      keys[0],
    ),
  );
  created.forEach((index, position) => {
    const reply = replies[position];
    if (reply?.status === 'fulfilled' && asNumber(reply.value) === 0) {
      results[index] = deadOnArrival(keys[position] ?? '');
    }
  });
}
