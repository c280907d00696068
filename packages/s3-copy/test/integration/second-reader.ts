import { createHash } from 'node:crypto';
import {
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import type { S3TestServer } from '@weir/testkit/s3';

/** What a bucket holds, read by Amazon's SDK and not by the code under test. */
export interface SeenObject {
  sizeBytes: number;
  etag: string;
}

/** Amazon's own client on a test server. */
export function sdkClient(server: Pick<S3TestServer, 'url' | 'region' | 'accessKeyId' | 'secretAccessKey'>): S3Client {
  const { url: endpoint, region, accessKeyId, secretAccessKey } = server;
  return new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

/** Every object of a bucket with its size and ETag. */
export async function readListing(client: S3Client, bucket: string): Promise<Map<string, SeenObject>> {
  const seen = new Map<string, SeenObject>();
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, EncodingType: 'url', ...(token && { ContinuationToken: token }) }),
    );
    for (const object of page.Contents ?? []) {
      seen.set(decodeURIComponent((object.Key ?? '').replaceAll('+', '%20')), {
        sizeBytes: object.Size ?? -1,
        etag: object.ETag ?? '',
      });
    }
    token = page.NextContinuationToken;
  } while (token !== undefined);
  return seen;
}

/** One object's bytes as a digest, and the headers that a copy keeps. */
export async function readObject(client: S3Client, bucket: string, key: string): Promise<Record<string, unknown>> {
  const object = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  const digest = createHash('sha256');
  const body = object.Body;
  if (body === undefined || !('pipe' in body)) throw new Error('the SDK gave no stream');
  for await (const chunk of body) digest.update(chunk);
  return {
    sha256: digest.digest('hex'),
    sizeBytes: object.ContentLength,
    contentType: object.ContentType,
    cacheControl: object.CacheControl,
    contentDisposition: object.ContentDisposition,
    contentEncoding: object.ContentEncoding,
    contentLanguage: object.ContentLanguage,
    expires: object.ExpiresString,
    metadata: object.Metadata,
  };
}

/** Keys of unfinished uploads. */
export async function readUploads(client: S3Client, bucket: string): Promise<string[]> {
  const uploads = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  return (uploads.Uploads ?? []).map((upload) => upload.Key ?? '');
}

/** Numbers of the parts that have arrived, of all uploads that a bucket keeps for a key. */
export async function readParts(client: S3Client, bucket: string, key: string): Promise<number[]> {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key }));
  const parts = await Promise.all(
    Uploads.map(async ({ UploadId }) => client.send(new ListPartsCommand({ Bucket: bucket, Key: key, UploadId }))),
  );
  return parts.flatMap(({ Parts = [] }) => Parts.map(({ PartNumber = 0 }) => PartNumber));
}
