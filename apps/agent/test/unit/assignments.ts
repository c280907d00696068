import type { Assignment, LimiterInstructions, S3Location } from '@weir/protocol';

export const limiter: LimiterInstructions = { mode: 'enforced', settingsVersion: 1, chargedTypes: ['LIST', 'PUT'] };

function location(bucket: string): S3Location {
  return {
    url: 'http://s3.test',
    region: 'us-east-1',
    pathStyle: true,
    accessKeyId: 'key',
    secretAccessKey: 'secret',
    bucket,
    prefix: '',
  };
}

/** Work as the console hands it out: a whole bucket, not split. */
export function anAssignment(more: Partial<Assignment> = {}): Assignment {
  return {
    jobId: 'job-1',
    jobName: 'copy',
    shardId: 'shard-1',
    leaseId: 'lease-1',
    mode: 'copy-all',
    source: location('from'),
    target: location('to'),
    work: { type: 'range', startAfter: null, endAt: null },
    checkpoint: null,
    heldBefore: false,
    splitInto: 0,
    ...more,
  };
}
