import { deadlineAt, QuotaError } from '@weir/quota';
import type { Draw } from '@weir/quota';
import { increxCommand } from './mechanisms/increx-take.ts';
import { takeByScript } from './mechanisms/script-take.ts';
import type { RedisCommands } from './redis-commands.ts';
import { asArray, asNumber } from './replies.ts';
import { replyCode, toQuotaError } from './reply-errors.ts';

/** Lifetime of the scratch counter, in ms, should the probe die before it removes it. */
const SCRATCH_MS = 30_000;

/** How the server counts. */
export type Mechanism = 'INCREX' | 'script';

/** The server's time in ms since 1970, to the microsecond. */
export async function serverTimeMs(commands: RedisCommands): Promise<number> {
  const [seconds, micros] = asArray(await commands.send(['TIME']), 2).map(asNumber);
  return (seconds ?? 0) * 1_000 + (micros ?? 0) / 1_000;
}

/**
 * Tries out on a dated scratch counter what the server can, in the way it will be used: INCREX came in several drafts, and
 * proxies in front of a server have commands of their own.
 * @throws {QuotaError} `store-refused` when scripts are not allowed; `store-unavailable` when the server does not answer.
 */
export async function probeMechanism(commands: RedisCommands): Promise<Mechanism> {
  const nowMs = await serverTimeMs(commands);
  const draw: Draw = {
    key: `weir:probe:{${nowMs}-${process.pid}}`,
    amount: 2,
    unit: 2,
    limit: 2,
    deadline: deadlineAt(nowMs + SCRATCH_MS, nowMs),
  };
  try {
    await tryScript(commands, draw);
    return (await hasIncrex(commands, draw)) ? 'INCREX' : 'script';
  } finally {
    await commands.send(['UNLINK', draw.key], draw.key).catch(() => undefined);
  }
}

async function tryScript(commands: RedisCommands, draw: Draw): Promise<void> {
  try {
    const [drawn] = await takeByScript(commands, [draw]);
    if (drawn instanceof Error) throw drawn;
  } catch (error) {
    if (replyCode(error) !== 'NOPERM' && !/unknown command/i.test(String(error))) throw toQuotaError(error);
    throw new QuotaError('store-refused', `the server must allow EVALSHA and EVAL: ${String(error)}`, { cause: error });
  }
}

/** Both bounds and deadline must behave; the counter stands at its limit and is dated already. */
async function hasIncrex(commands: RedisCommands, draw: Draw): Promise<boolean> {
  if (!commands.knows('INCREX')) return false;
  const fresh = { ...draw, key: `${draw.key}:increx` };
  const later = { ...fresh, deadline: deadlineAt(draw.deadline + 10 * SCRATCH_MS, draw.deadline) };
  const replies = await Promise.allSettled(
    commands.sendAll(
      [
        increxCommand(fresh),
        increxCommand({ ...later, amount: 1, limit: 4 }),
        increxCommand({ ...later, amount: 2, limit: 4 }),
        ['PTTL', fresh.key],
        ['UNLINK', fresh.key],
      ],
      fresh.key,
    ),
  );
  const values = replies.map((reply) => (reply.status === 'fulfilled' ? reply.value : undefined));
  const [first, second, third] = values.map((value) => (Array.isArray(value) ? value.map(Number).join() : ''));
  const lifeMs = Number(values[3]);
  return first === '2,2' && second === '3,1' && third === '3,0' && lifeMs > 0 && lifeMs <= SCRATCH_MS + 1_000;
}
