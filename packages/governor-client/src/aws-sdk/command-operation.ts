import type { S3Operation } from '@weir/governor';
import { COPIES, LISTS_OBJECTS, LISTS_OTHERS, READS, REMOVES, WRITES } from '../s3/stand-ins.ts';

/** Commands that the cost model names itself. */
const NAMED: ReadonlyMap<string, S3Operation> = new Map(
  (
    [
      'ListBuckets',
      'HeadBucket',
      'CreateBucket',
      'ListObjectsV2',
      'HeadObject',
      'GetObject',
      'GetObjectTagging',
      'PutObject',
      'PutObjectTagging',
      'CopyObject',
      'CreateMultipartUpload',
      'UploadPart',
      'UploadPartCopy',
      'CompleteMultipartUpload',
      'AbortMultipartUpload',
      'ListParts',
      'ListMultipartUploads',
      'DeleteObject',
    ] as const
  ).map((operation) => [operation, operation]),
);

const OTHERS: ReadonlyMap<string, S3Operation> = new Map([
  ['ListObjects', LISTS_OBJECTS],
  ['ListObjectVersions', LISTS_OBJECTS],
  ['RenameObject', COPIES],
  // A GET that logs in to a directory bucket.
  ['CreateSession', READS],
]);

const BY_VERB: readonly (readonly [RegExp, S3Operation])[] = [
  [/^List/, LISTS_OTHERS],
  [/^(?:Get|Head|Select)/, READS],
  [/^(?:Delete|Abort)/, REMOVES],
];

/**
 * What a command of `@aws-sdk/client-s3` is charged as.
 * @param commandName as the SDK tells middleware: `PutObjectCommand`. A command that is not known is charged as a write of
 *   something that is not an object: free per object, PUT 1 per request.
 */
export function operationOfCommand(commandName: string): S3Operation {
  const name = commandName.replace(/Command$/, '');
  return NAMED.get(name) ?? OTHERS.get(name) ?? BY_VERB.find(([verb]) => verb.test(name))?.[1] ?? WRITES;
}
