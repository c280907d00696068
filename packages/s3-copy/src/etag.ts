import { createHash } from 'node:crypto';
import type { ResponseHeaders } from './response-headers.ts';

/** Hex MD5 that an ETag stands for; null when it is something else (multipart, weak, or not an MD5 by its form). */
export function md5OfEtag(etag: string): string | null {
  const match = /^"?([0-9a-f]{32})"?$/i.exec(etag);
  return match?.[1]?.toLowerCase() ?? null;
}

/** Whether two ETags name the same multipart content: quotes and case aside. */
export function sameEtag(left: string, right: string): boolean {
  return bareEtag(left) === bareEtag(right);
}

/** ETag of an object made of these parts, as S3 computes it: MD5 of the parts' MD5s, then their number. */
export function multipartEtag(partMd5s: readonly Buffer[]): string {
  return `${createHash('md5').update(Buffer.concat(partMd5s)).digest('hex')}-${partMd5s.length}`;
}

/** Whether an ETag has the form of a multipart ETag. */
export function isMultipartEtag(etag: string): boolean {
  return /^[0-9a-f]{32}-\d{1,5}$/i.test(bareEtag(etag));
}

/** Number of parts that a multipart ETag names; null for any other ETag. */
export function partsOfEtag(etag: string): number | null {
  const count = /^[0-9a-f]{32}-(\d{1,5})$/i.exec(bareEtag(etag))?.[1];
  return count === undefined || Number(count) < 1 ? null : Number(count);
}

/** Objects encrypted with keys of a key service or of the customer have ETags that are no MD5 but look like one. */
export function etagIsOpaque(headers: ResponseHeaders): boolean {
  const encryption = headers.get('x-amz-server-side-encryption');
  return (
    (encryption !== null && encryption !== 'AES256') ||
    headers.get('x-amz-server-side-encryption-customer-algorithm') !== null
  );
}

/** Without quotes and in lower case. */
export function bareEtag(etag: string): string {
  return etag.replaceAll('"', '').toLowerCase();
}
