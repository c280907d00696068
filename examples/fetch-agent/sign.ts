import { createHash, createHmac } from 'node:crypto';

export interface SigningKey {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * A request with AWS Signature Version 4 for S3. The body is not part of the signature, so that it need not be read twice.
 * @param now date that the signature carries; servers refuse one that is more than 15 minutes off
 */
export function signed(request: Request, { region, accessKeyId, secretAccessKey }: SigningKey, now: Date): Request {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const url = new URL(request.url);
  const headers: [name: string, value: string][] = [
    ['host', url.host],
    ['x-amz-content-sha256', 'UNSIGNED-PAYLOAD'],
    ['x-amz-date', time],
  ];
  const names = headers.map(([name]) => name).join(';');
  const query = [...url.searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join('&');
  const canonical = [
    request.method,
    url.pathname
      .split('/')
      .map((part) => escaped(decodeURIComponent(part)))
      .join('/'),
    query,
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`).toString('hex');
  const result = new Request(request);
  for (const [name, value] of headers.slice(1)) result.headers.set(name, value);
  const credential = `Credential=${accessKeyId}/${scope}`;
  result.headers.set('authorization', `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`);
  return result;
}

function escaped(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
