import { DEFAULT_JOB_OPTIONS, type Assignment, type LimiterInstructions, type S3Location } from '@weir/protocol';

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
    kind: 'copy',
    mode: 'copy-all',
    options: DEFAULT_JOB_OPTIONS,
    source: location('from'),
    target: location('to'),
    work: { type: 'range', startAfter: null, endAt: null },
    checkpoint: null,
    manifest: null,
    startedAtMs: 0,
    heldBefore: false,
    splitInto: 0,
    ...more,
  };
}
