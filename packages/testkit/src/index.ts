export * from './s3/fauxqs.ts';
export * from './s3/fauxqs-process.ts';
export * from './s3/rgw.ts';
export * from './network/fault-proxy.ts';
export * from './redis/admin.ts';
export * from './redis/resp.ts';
export * from './redis/server.ts';
export * from './redis/topologies.ts';
