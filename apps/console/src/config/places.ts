import { join } from 'node:path';
import { isPostgresUrl } from './storage-url.ts';

const POSTGRES_PORT = '5432';
const REDIS_PORT = '6379';

/** Where the database is, for people: without user and password. */
export function databasePlace(
  { storageUrl, dataDir }: { storageUrl: string; dataDir: string },
  sqliteFile: string,
): { kind: 'sqlite' | 'postgresql'; place: string } {
  if (!isPostgresUrl(storageUrl)) return { kind: 'sqlite', place: join(dataDir, sqliteFile) };
  const { hostname, port, pathname } = new URL(storageUrl);
  return { kind: 'postgresql', place: `${hostname}:${port || POSTGRES_PORT}${pathname}` };
}

/** Where a Redis is, for people: without user and password, and without the database that one gets anyway. */
export function redisPlace(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || REDIS_PORT}${/^\/0*$/.test(pathname) ? '' : pathname}`;
}
