/** Real Redis servers for tests, alone, replicated, behind Sentinel or as a cluster. */
export * from './redis/admin.ts';
export * from './redis/increx-server.ts';
export * from './redis/resp.ts';
export * from './redis/server.ts';
export * from './redis/topologies.ts';
