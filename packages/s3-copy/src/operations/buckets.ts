import type { S3Client } from '../client.ts';
import { S3Error } from '../errors.ts';
import type { CallContext } from '../gate.ts';
import { childElements, childText, parseXml } from '../xml.ts';
import type { OwnCode } from '../own-codes.ts';

/** Names of all buckets that the credentials own. */
export async function listBuckets(client: S3Client, call: CallContext): Promise<string[]> {
  const response = await client.send({ operation: 'ListBuckets', method: 'GET', bucket: null, key: null }, call);
  const document = parseXml(response.body);
  if (document?.root !== 'ListAllMyBucketsResult') {
    throw new S3Error({
      code: 'not-s3' satisfies OwnCode,
      status: response.status,
      operation: 'ListBuckets',
      bucket: null,
      key: null,
      message: 'the answer is no list of buckets: this address does not speak S3',
      requestId: response.headers.get('x-amz-request-id'),
    });
  }
  const [buckets] = childElements(document.content, 'Buckets');
  return childElements(buckets ?? {}, 'Bucket').flatMap((bucket) => childText(bucket, 'Name') ?? []);
}

/** @throws S3Error NoSuchBucket when there is no such bucket, AccessDenied when it is somebody else's. */
export async function headBucket(client: S3Client, bucket: string, call: CallContext): Promise<void> {
  await client.send({ operation: 'HeadBucket', method: 'HEAD', bucket, key: null }, call);
}

/** Creates a bucket; one that the credentials already own is no error. */
export async function createBucket(client: S3Client, bucket: string, call: CallContext): Promise<void> {
  try {
    await client.send({ operation: 'CreateBucket', method: 'PUT', bucket, key: null }, call);
  } catch (error) {
    if (!(error instanceof S3Error) || error.code !== 'BucketAlreadyOwnedByYou') throw error;
  }
}
