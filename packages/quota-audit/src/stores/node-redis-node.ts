import type { RedisNode } from './redis-nodes.ts';

/** What is used of a node-redis client (`createClient`); the application connects and closes it. */
export interface NodeRedisClient {
  sendCommand(args: readonly (string | Buffer)[], options?: { typeMapping: object }): Promise<unknown>;
}

/**
 * 36 is the RESP type of bulk strings, as node-redis numbers it: they are wanted as bytes. No time-out per command: its signal
 * costs more than the command.
 */
const OPTIONS = { typeMapping: { 36: Buffer }, timeout: undefined };

/**
 * A server as the audit wants it, over a node-redis client.
 * @param name for people and for the plan: `host:port`.
 */
export function nodeRedisNode(client: NodeRedisClient, name: string): RedisNode {
  return {
    name,
    sendAll: (commands) => commands.map(async (args) => latin1Of(await client.sendCommand(args.map(bytesIn), OPTIONS))),
  };
}

function bytesIn(argument: string): string | Buffer {
  return /^[\0-\x7f]*$/.test(argument) ? argument : Buffer.from(argument, 'latin1');
}

function latin1Of(reply: unknown): unknown {
  if (Buffer.isBuffer(reply)) return reply.toString('latin1');
  return Array.isArray(reply) ? reply.map(latin1Of) : reply;
}
