import type { BodyStream } from '../body-stream.ts';
import type { S3Client } from '../client.ts';
import type { CallContext } from '../gate.ts';
import { encodeKey, encodeQueryText } from '../percent-encoding.ts';
import type { RequestBody } from '../request.ts';
import type { ResponseHeaders } from '../response-headers.ts';
import { childText, parseXml } from '../xml.ts';

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

/** One part of an object as its source made it. */
export interface PartFacts {
  /** The whole object. */
  object: ObjectFacts;
  /** Null when the server looked at the whole object all the same. */
  part: { sizeBytes: number; partsCount: number } | null;
}

/**
 * Asks for one part, by its number from 1.
 * @throws S3Error as well where the server knows no such question.
 */
export async function headPart(
  client: S3Client,
  object: { bucket: string; key: string; partNumber: number },
  call: CallContext,
): Promise<PartFacts> {
  const { bucket, key, partNumber } = object;
  const query = [['partNumber', String(partNumber)]] as const;
  const { headers, status } = await client.send({ operation: 'HeadObject', method: 'HEAD', bucket, key, query }, call);
  const facts = factsOf(headers);
  const partsCount = headers.integer('x-amz-mp-parts-count');
  const whole = /\/(\d{1,16})$/.exec(headers.get('content-range') ?? '')?.[1];
  if (status !== 206 || whole === undefined) return { object: facts, part: null };
  const part = facts.sizeBytes === null || partsCount === null ? null : { sizeBytes: facts.sizeBytes, partsCount };
  return { object: { ...facts, sizeBytes: Number(whole) }, part };
}

export interface GetRequest {
  bucket: string;
  key: string;
  /** Refuse with PreconditionFailed when the object is no longer this one. */
  ifMatch?: string;
  /** First and last byte, both included. */
  range?: { first: number; last: number };
  /** Ask for the checksum that the source may keep besides the ETag. */
  checksum?: boolean;
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
  if (request.checksum === true) headers.push(['x-amz-checksum-mode', 'ENABLED']);
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

export interface CopyRequest {
  bucket: string;
  key: string;
  from: { bucket: string; key: string };
  /** Only what shall differ from the source: metadata and tags are copied with the bytes. */
  headers: readonly (readonly [name: string, value: string])[];
}

/**
 * Lets the server copy an object of at most 5 GiB within itself. Returns the ETag of the new one.
 * @throws S3Error also for an error that comes with status 200.
 */
export async function copyObjectWithin(
  client: S3Client,
  request: CopyRequest,
  call: CallContext,
): Promise<{ etag: string }> {
  const { bucket, key, from } = request;
  const headers = [...request.headers, ['x-amz-copy-source', copySourceOf(from)] as const];
  const response = await client.send({ operation: 'CopyObject', method: 'PUT', bucket, key, headers }, call);
  return { etag: childText(parseXml(response.body)?.content ?? {}, 'ETag') ?? '' };
}

/** A bucket and a key as `x-amz-copy-source` names them. */
export function copySourceOf({ bucket, key }: { bucket: string; key: string }): string {
  return `/${encodeQueryText(bucket)}/${encodeKey(key)}`;
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
