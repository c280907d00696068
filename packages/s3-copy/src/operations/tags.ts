import type { S3Client } from '../client.ts';
import { S3Error } from '../errors.ts';
import type { CallContext } from '../gate.ts';
import { encodeQueryText } from '../percent-encoding.ts';
import { childElements, childText, escapeXml, parseXml } from '../xml.ts';
import type { OwnCode } from '../own-codes.ts';

/** One tag of an object; names and values hold any Unicode text. */
export interface ObjectTag {
  key: string;
  value: string;
}

/** @throws S3Error NoSuchKey; AccessDenied where tags may not be read; NotImplemented where there are none. */
export async function getObjectTagging(
  client: S3Client,
  bucket: string,
  key: string,
  call: CallContext,
): Promise<ObjectTag[]> {
  const operation = 'GetObjectTagging';
  const response = await client.send({ operation, method: 'GET', bucket, key, query: [['tagging', '']] }, call);
  const document = parseXml(response.body);
  if (document?.root !== 'Tagging') {
    const requestId = response.headers.get('x-amz-request-id');
    const message = 'the answer holds no tags';
    throw new S3Error({
      code: 'not-s3' satisfies OwnCode,
      message,
      status: response.status,
      operation,
      bucket,
      key,
      requestId,
    });
  }
  const [set] = childElements(document.content, 'TagSet');
  return childElements(set ?? {}, 'Tag').map((tag) => ({
    key: childText(tag, 'Key') ?? '',
    value: childText(tag, 'Value') ?? '',
  }));
}

/** Replaces all tags of an object. */
export async function putObjectTagging(
  client: S3Client,
  object: { bucket: string; key: string; tags: readonly ObjectTag[] },
  call: CallContext,
): Promise<void> {
  const { bucket, key, tags } = object;
  const xml = tags.map((tag) => `<Tag><Key>${escapeXml(tag.key)}</Key><Value>${escapeXml(tag.value)}</Value></Tag>`);
  const bytes = Buffer.from(`<Tagging><TagSet>${xml.join('')}</TagSet></Tagging>`);
  await client.send(
    {
      operation: 'PutObjectTagging',
      method: 'PUT',
      bucket,
      key,
      query: [['tagging', '']],
      headers: [['content-type', 'application/xml']],
      body: { type: 'bytes', bytes },
    },
    call,
  );
}

/** Tags as the header of an upload wants them: `name=value` pairs, encoded, joined by `&`. */
export function taggingHeader(tags: readonly ObjectTag[]): string {
  return tags.map((tag) => `${encodeQueryText(tag.key)}=${encodeQueryText(tag.value)}`).join('&');
}
