import type { S3Operation } from './gate.ts';
import type { TransportRequest } from './transport.ts';

/** What a request sends as its body. */
export type RequestBody =
  | { type: 'bytes'; bytes: Buffer }
  /** Sent once: a retry needs a new one. */
  | { type: 'stream'; chunks: AsyncIterable<Uint8Array>; bytes: number };

/** One S3 request before it is signed. */
export interface S3Request {
  operation: S3Operation;
  method: TransportRequest['method'];
  /** null: the service itself. */
  bucket: string | null;
  /** null: the bucket itself. */
  key: string | null;
  query?: readonly (readonly [name: string, value: string])[];
  /** Lower-case names; values as strings of bytes (latin1). */
  headers?: readonly (readonly [name: string, value: string])[];
  body?: RequestBody;
  /** For objects: bodies up to this size are collected, longer ones streamed. */
  bufferUpToBytes?: number;
}
