import type { BodyStream } from '../body-stream.ts';
import type { S3Client } from '../client.ts';
import type { CallContext } from '../gate.ts';
import type { RequestBody } from '../request.ts';
import type { ResponseHeaders } from '../response-headers.ts';

/** What HEAD and GET say about an object. */
export interface ObjectFacts {
  /** Whole size of the object (HEAD, GET) or size of the part that was asked for (GET with a range), in bytes. */
  sizeBytes: number | null;
  /** With its quotes; empty when the server gives none. */
  etag: string;
  lastModifiedMs: number | null;
  headers: ResponseHeaders;
}

/** An object's bytes: all in `bytes`, or still to come from `stream`. */
export interface FetchedObject extends ObjectFacts {
  status: number;
  bytes: Buffer;
  stream: BodyStream | null;
}

/** @throws S3Error NoSuchKey when there is no such object. */
export async function headObject(
  client: S3Client,
  bucket: string,
  key: string,
  call: CallContext,
): Promise<ObjectFacts> {
  const { headers } = await client.send({ operation: 'HeadObject', method: 'HEAD', bucket, key }, call);
  return factsOf(headers);
}

export interface GetRequest {
  bucket: string;
  key: string;
  /** Refuse with PreconditionFailed when the object is no longer this one. */
  ifMatch?: string;
  /** First and last byte, both included. */
  range?: { first: number; last: number };
  /** Collect bodies up to this size instead of streaming them. Default 0. */
  bufferUpToBytes?: number;
}

/** Sends one GET, without retries: what becomes of a broken stream is for the caller to decide. */
export async function getObject(
  client: S3Client,
  request: GetRequest,
  call: CallContext,
  attempt: number,
): Promise<FetchedObject> {
  const headers: [string, string][] = [];
  if (request.ifMatch !== undefined) headers.push(['if-match', request.ifMatch]);
  if (request.range !== undefined) headers.push(['range', `bytes=${request.range.first}-${request.range.last}`]);
  const response = await client.attempt(
    {
      operation: 'GetObject',
      method: 'GET',
      bucket: request.bucket,
      key: request.key,
      headers,
      bufferUpToBytes: request.bufferUpToBytes ?? 0,
    },
    call,
    attempt,
  );
  const { status, body: bytes, stream } = response;
  return { ...factsOf(response.headers), status, bytes, stream };
}

export interface PutRequest {
  bucket: string;
  key: string;
  body: RequestBody;
  /** Content headers and user metadata, as strings of bytes. */
  headers: readonly (readonly [name: string, value: string])[];
}

/** Sends one PUT that was already admitted by the gate. Returns the ETag of the new object. */
export async function putObject(
  client: S3Client,
  request: PutRequest,
  call: CallContext,
  attempt: number,
  options: { admitted: boolean },
): Promise<{ etag: string; headers: ResponseHeaders }> {
  const { bucket, key, headers, body } = request;
  const response = await client.attempt(
    { operation: 'PutObject', method: 'PUT', bucket, key, headers, body },
    call,
    attempt,
    options,
  );
  return { etag: response.headers.get('etag') ?? '', headers: response.headers };
}

/** Deletes an object; one that is not there is no error. */
export async function deleteObject(client: S3Client, bucket: string, key: string, call: CallContext): Promise<void> {
  await client.send({ operation: 'DeleteObject', method: 'DELETE', bucket, key }, call);
}

function factsOf(headers: ResponseHeaders): ObjectFacts {
  return {
    sizeBytes: headers.integer('content-length'),
    etag: headers.get('etag') ?? '',
    lastModifiedMs: headers.dateMs('last-modified'),
    headers,
  };
}
