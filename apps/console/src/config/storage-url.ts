/** A SQLite file in the data directory. */
export const SQLITE_URL = 'sqlite:';

const POSTGRES_PROTOCOLS = new Set(['postgres:', 'postgresql:']);

/** Whether a text is the address of a storage that there is. */
export function isStorageUrl(text: string): boolean {
  return text === SQLITE_URL || isPostgresUrl(text);
}

/** Whether a text is the address of a PostgreSQL database, with the name of the database in it. */
export function isPostgresUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname } = new URL(text);
  return POSTGRES_PROTOCOLS.has(protocol) && pathname.length > 1;
}

const REDIS_PROTOCOLS = new Set(['redis:', 'rediss:']);

/** Whether a text is the address of a Redis server: host, and a database by its number if any. */
export function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  const known = REDIS_PROTOCOLS.has(protocol) && hostname !== '';
  return known && /^(\/\d{0,4})?$/.test(pathname) && search === '' && hash === '';
}
