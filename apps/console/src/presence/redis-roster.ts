import { id } from '@weir/protocol';
import { z } from 'zod';
import type { HeardConsole, RosterStore } from '../ports/roster.ts';
import { readShared } from '../validation/shared-text.ts';
import { LISTED_FOR_MS, MAX_LISTED, MISSING_AFTER_MS } from './presence-times.ts';

/**
 * One hash for the group, a field for each console, and one deadline for all: it ends a day after the last one was heard. By
 * the clock of Redis, so that it does not matter whether those of the consoles are right. A value is when it was said, the address, and
 * the rest as JSON. Fields of a console that was started anew at the same address go with the first that its successor writes.
 */
const PUT = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now) .. ' ' .. ARGV[2] .. ' ' .. ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
local all = redis.call('HGETALL', KEYS[1])
local kept, longest, quietest = 0, -math.huge, nil
for i = 1, #all, 2 do
  local said, url = string.match(all[i + 1], '^(%d+) (%S+) ')
  local silent = said and now - tonumber(said) or math.huge
  local replaced = url == ARGV[2] and all[i] ~= ARGV[1] and silent > tonumber(ARGV[5])
  -- Said before the clock was set back: who is there says it again.
  local ahead = silent < -tonumber(ARGV[5])
  if replaced or ahead or silent > tonumber(ARGV[4]) then
    redis.call('HDEL', KEYS[1], all[i])
  else
    kept = kept + 1
    if silent > longest then longest, quietest = silent, all[i] end
  end
end
if kept > tonumber(ARGV[6]) then redis.call('HDEL', KEYS[1], quietest) end
return 1
`;

const LIST = `
local t = redis.call('TIME')
return { string.format('%.0f', t[1] * 1000 + math.floor(t[2] / 1000)), redis.call('HGETALL', KEYS[1]) }
`;

/** Others than consoles can write to Redis: what nobody could show or read is not taken over. */
const text = (maxLength: number): z.ZodString =>
  z
    .string()
    .max(maxLength)
    .regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u);

const place = z.object({ consoleId: id, url: text(2_048).regex(/^https?:\/\//) });
const record = z.object({
  host: text(255),
  version: text(64),
  uptimeMs: z.number().nonnegative(),
  databaseAnswers: z.boolean(),
  differs: z.enum(['secrets', 'database', 'version']).nullable(),
});

/** What sends commands to Redis. */
interface Commands {
  sendCommand(args: readonly string[]): Promise<unknown>;
}

/**
 * The list of a group's consoles as a key of Redis, with a deadline at any moment.
 * @param key of the group
 */
export function redisRoster(redis: Commands, key: string): RosterStore {
  return {
    async put({ consoleId, url, host, version }, said) {
      const text = JSON.stringify({ host, version, ...said });
      const limits = [LISTED_FOR_MS, MISSING_AFTER_MS, MAX_LISTED].map(String);
      await evaluate(redis, [PUT, '1', key, consoleId, url, text, ...limits]);
    },
    async list() {
      const reply = await evaluate(redis, [LIST, '1', key]);
      if (!Array.isArray(reply)) throw new Error('Redis answered what no script of ours returns.');
      const [now, fields]: unknown[] = reply;
      if (!Array.isArray(fields)) throw new Error('Redis answered what no script of ours returns.');
      return consolesOf(fields, Number(now));
    },
    async remove(consoleId) {
      await redis.sendCommand(['HDEL', key, consoleId]);
    },
  };
}

/** What Redis says of a script of ours is for people here: the script's digest and line say nothing to them. */
async function evaluate(redis: Commands, args: readonly string[]): Promise<unknown> {
  try {
    return await redis.sendCommand(['EVAL', ...args]);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(message.replace(/ script: \w+, on @.*$/s, ''), { cause: error });
  }
}

/** Those that were heard last, as many as the list should hold. */
function consolesOf(fields: readonly unknown[], nowMs: number): HeardConsole[] {
  const consoles: HeardConsole[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, saidAtMs, url, json] = /^(\d+) (\S+) (.*)$/s.exec(String(fields[at + 1])) ?? [];
    const silentMs = nowMs - Number(saidAtMs);
    // Said before the clock was set back, or more than a day ago: nobody has written since, who would have taken it off the list.
    if (json === undefined || !(silentMs >= -MISSING_AFTER_MS && silentMs <= LISTED_FOR_MS)) continue;
    // What a console of another version writes differently is left out.
    const rest = readShared(record, json);
    const where = place.safeParse({ consoleId: fields[at], url }).data;
    if (rest === null || where === undefined) continue;
    consoles.push({ ...rest, ...where, silentMs: Math.max(0, silentMs) });
  }
  return consoles.sort((a, b) => a.silentMs - b.silentMs).slice(0, MAX_LISTED);
}
