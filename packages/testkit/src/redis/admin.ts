import { connect } from 'node:net';
import { encodeCommand, RespError, RespParser } from './resp.ts';
import type { RespValue } from './resp.ts';

const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Runs commands on one connection of its own, in one write, and returns their replies (errors as values). For set-up and
 * checks of tests, so that they do not depend on the client under test.
 */
export async function redisPipeline(
  port: number,
  commands: readonly (readonly string[])[],
  host = '127.0.0.1',
): Promise<RespValue[]> {
  const socket = connect({ port, host });
  const parser = new RespParser();
  const replies: RespValue[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(ANSWER_TIMEOUT_MS, () => reject(new Error(`Redis on port ${port} did not answer`)));
      socket.once('error', reject);
      socket.once('close', () => reject(new Error(`Redis on port ${port} closed the connection`)));
      socket.on('data', (chunk: Buffer) => {
        replies.push(...parser.push(chunk));
        if (replies.length >= commands.length) resolve();
      });
      socket.write(commands.map(encodeCommand).join(''));
    });
  } finally {
    socket.destroy();
  }
  return replies;
}

/** Runs one command on a connection of its own. @throws {RespError} when the server answers with an error. */
export async function redisCommand(port: number, ...args: string[]): Promise<RespValue> {
  const [reply = null] = await redisPipeline(port, [args]);
  if (reply instanceof RespError) throw reply;
  return reply;
}
