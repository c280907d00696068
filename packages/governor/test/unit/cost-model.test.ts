import { describe, expect, it } from 'vitest';
import { chargeFor, type S3Operation, type TransactionType } from '../../src/index.ts';

const ALL: ReadonlySet<TransactionType> = new Set<TransactionType>(['LIST', 'GET', 'PUT', 'DELETE']);
const DEFAULT: ReadonlySet<TransactionType> = new Set<TransactionType>(['LIST', 'GET', 'PUT']);

const FREE: readonly S3Operation[] = [
  'ListBuckets',
  'HeadBucket',
  'CreateBucket',
  'HeadObject',
  'GetObject',
  'GetObjectTagging',
  'PutObjectTagging',
  'UploadPart',
  'UploadPartCopy',
  'CompleteMultipartUpload',
  'AbortMultipartUpload',
  'ListParts',
  'ListMultipartUploads',
  'DeleteObject',
];

function cost(operations: readonly S3Operation[], types: ReadonlySet<TransactionType> = DEFAULT): number {
  return operations.reduce((sum, operation) => sum + (chargeFor(operation, 0, types)?.cost ?? 0), 0);
}

describe('the documented cost model', () => {
  it('charges a listing page 1 as LIST', () => {
    expect(chargeFor('ListObjectsV2', 0, DEFAULT)).toEqual({ type: 'LIST', cost: 1 });
  });

  it('charges an object that is sent or copied in one request 1 as PUT', () => {
    expect(chargeFor('PutObject', 0, DEFAULT)).toEqual({ type: 'PUT', cost: 1 });
    expect(chargeFor('CopyObject', 0, DEFAULT)).toEqual({ type: 'PUT', cost: 1 });
  });

  it.each([16, 128, 10_000])('charges an object of %i parts 11 as PUT, once', (parts) => {
    const copy: S3Operation[] = ['HeadObject', 'CreateMultipartUpload'];
    for (let part = 0; part < parts; part += 1) copy.push('GetObject', 'UploadPart');
    copy.push('CompleteMultipartUpload');
    expect(copy).toHaveLength(2 * parts + 3);
    expect(cost(copy)).toBe(11);
    expect(chargeFor('CreateMultipartUpload', 0, DEFAULT)).toEqual({ type: 'PUT', cost: 11 });
  });

  it.each(FREE)('never charges %s, even when every type counts', (operation) => {
    expect(chargeFor(operation, 0, ALL)).toBeNull();
  });

  it('never charges a retry', () => {
    for (const operation of ['ListObjectsV2', 'PutObject', 'CopyObject', 'CreateMultipartUpload'] as const) {
      expect(chargeFor(operation, 1, ALL)).toBeNull();
      expect(chargeFor(operation, 7, ALL)).toBeNull();
    }
  });

  it('charges only the types that are switched on', () => {
    expect(chargeFor('PutObject', 0, new Set(['LIST']))).toBeNull();
    expect(chargeFor('ListObjectsV2', 0, new Set(['PUT']))).toBeNull();
    expect(cost(['ListObjectsV2', 'PutObject', 'CreateMultipartUpload'], new Set())).toBe(0);
  });

  it('answers without allocating: the same frozen object each time', () => {
    const charge = chargeFor('PutObject', 0, DEFAULT);
    expect(chargeFor('CopyObject', 0, DEFAULT)).toBe(charge);
    expect(Object.isFrozen(charge)).toBe(true);
  });
});

describe('per-request costs', () => {
  it('charge as many as a copy of N parts sends: 2N + 3, one of each type that counts', () => {
    for (const parts of [1, 16, 128]) {
      const copy: S3Operation[] = ['HeadObject', 'CreateMultipartUpload', 'CompleteMultipartUpload'];
      for (let part = 0; part < parts; part += 1) copy.push('GetObject', 'UploadPart');
      const charged = copy.map((operation) => chargeFor(operation, 0, ALL, 'per-request')?.cost ?? 0);
      expect(charged.reduce((sum, each) => sum + each, 0)).toBe(2 * parts + 3);
    }
  });

  it.each([...FREE, 'ListObjectsV2', 'PutObject', 'CopyObject', 'CreateMultipartUpload'] as const)(
    'charge %s 1, the first time as every other, when its type counts',
    (operation) => {
      const first = chargeFor(operation, 0, ALL, 'per-request');
      expect(first?.cost).toBe(1);
      expect(chargeFor(operation, 4, ALL, 'per-request')).toBe(first);
      const others = new Set([...ALL].filter((type) => type !== first?.type));
      expect(chargeFor(operation, 0, others, 'per-request')).toBeNull();
    },
  );
});
