/** Real PostgreSQL servers for tests. */
export * from './postgres/server.ts';
