export * from './s3/fauxqs.ts';
export * from './s3/fauxqs-process.ts';
export * from './s3/rgw.ts';
