/** Real S3 servers for tests and the demo. */
export * from './s3/counting-proxy.ts';
export * from './s3/fauxqs.ts';
export * from './s3/fauxqs-process.ts';
export * from './s3/many-keys.ts';
export * from './s3/rgw.ts';
export type { FaultKind, ProxyFault } from './s3/proxy-faults.ts';
export * from './s3/swift.ts';
export type { SwiftRateLimit } from './s3/swift-config.ts';
