/** Real memcached servers for tests. */
export * from './memcached/admin.ts';
export * from './memcached/server.ts';
