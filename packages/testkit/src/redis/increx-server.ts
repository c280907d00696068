import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { encodeCommand, RespParser } from './resp.ts';

/**
 * INCREX as documented for Redis 8.8, for a server that has no such command: an integer increment within bounds that also
 * dates the key. Out of bounds it changes nothing and answers `[value, 0]`, or goes to the bound with SATURATE.
 */
const INCREX = `
local key, by, low, high, saturate, unit, at, enx = KEYS[1], 1, nil, nil, false, nil, nil, false
local i = 1
local function number(text)
  local value = tonumber(text)
  if not value or value % 1 ~= 0 then error('ERR value is not an integer or out of range') end
  return value
end
while i <= #ARGV do
  local word = string.upper(ARGV[i])
  if word == 'SATURATE' then saturate = true
  elseif word == 'ENX' then enx = true
  elseif word == 'PERSIST' and not unit then unit = word
  elseif word == 'BYINT' then i = i + 1; by = number(ARGV[i])
  elseif word == 'LBOUND' then i = i + 1; low = number(ARGV[i])
  elseif word == 'UBOUND' then i = i + 1; high = number(ARGV[i])
  elseif (word == 'EX' or word == 'PX' or word == 'EXAT' or word == 'PXAT') and not unit then
    i = i + 1; unit, at = word, number(ARGV[i])
  else return redis.error_reply('ERR syntax error') end
  i = i + 1
end
if enx and (not unit or unit == 'PERSIST') then return redis.error_reply('ERR ENX flag requires an expiration') end
local held = redis.call('GET', key)
if held and not string.find(held, '^%-?%d+$') then
  return redis.error_reply('ERR value is not an integer or out of range')
end
local before = tonumber(held or '0')
local after = before + by
if (high and after > high) or (low and after < low) then
  if not saturate then return { before, 0 } end
  after = (high and after > high) and high or low
end
redis.call('INCRBY', key, string.format('%.0f', after - before))
if unit == 'PERSIST' then redis.call('PERSIST', key)
elseif unit and not (enx and redis.call('PTTL', key) ~= -1) then
  local commands = { EX = 'EXPIRE', PX = 'PEXPIRE', EXAT = 'EXPIREAT', PXAT = 'PEXPIREAT' }
  redis.call(commands[unit], key, string.format('%.0f', at))
end
return { after, after - before }
`;

/** A server with INCREX in front of one without. */
export interface IncrexRedis {
  readonly port: number;
  /** INCREX commands served since the start. */
  readonly served: number;
  /** From now on INCREX is an unknown command, as after a failover to an older server. */
  forget(): void;
  close(): Promise<void>;
}

/** Starts a front on a free loopback port: INCREX runs as a script on the server behind it, all else passes through. */
export async function startIncrexFront(target: { port: number }): Promise<IncrexRedis> {
  const state = { served: 0, known: true };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect({ port: target.port, host: '127.0.0.1' });
    const parser = new RespParser();
    client.on('data', (chunk: Buffer) => {
      const commands = parser.push(chunk).map((value) => (Array.isArray(value) ? value.map(String) : []));
      upstream.write(commands.map((words) => encodeCommand(translate(words, state))).join(''));
    });
    upstream.pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the front has no TCP port');
  return {
    port: address.port,
    get served() {
      return state.served;
    },
    forget: () => {
      state.known = false;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function translate(words: readonly string[], state: { served: number; known: boolean }): readonly string[] {
  const [name = '', key = '', ...options] = words;
  if (name.toUpperCase() !== 'INCREX' || !state.known) return words;
  state.served += 1;
  return ['EVAL', INCREX, '1', key, ...options];
}
