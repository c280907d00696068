import type { RedisServer } from '@weir/testkit/redis';

/** All keys with a text in them. */
export async function keysWith(server: RedisServer, text: string): Promise<string[]> {
  const keys: string[] = [];
  let cursor = '0';
  do {
    const reply = await server.command('SCAN', cursor, 'MATCH', `*${text}*`, 'COUNT', '5000');
    const [next, found] = Array.isArray(reply) ? reply : [];
    cursor = String(next ?? '0');
    if (Array.isArray(found)) keys.push(...found.map(String));
  } while (cursor !== '0');
  return keys;
}
