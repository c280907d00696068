import type { ResponseHeaders } from './response-headers.ts';

const CONTENT_HEADERS = new Set([
  'content-type',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
  'x-amz-website-redirect-location',
]);

/** The headers of a source object that its copy keeps: content headers and user metadata, byte for byte. */
export function keptHeaders(source: ResponseHeaders): [name: string, value: string][] {
  const kept: [string, string][] = [];
  for (const [name, value] of source.entries()) {
    if (name === 'content-encoding') {
      // Some servers store the transfer form of an upload as if it were the object's; it is not part of the object.
      const real = value.split(',').filter((coding) => coding.trim() !== 'aws-chunked');
      if (real.length > 0 && value !== '') kept.push([name, real.join(',').trim()]);
    } else if (CONTENT_HEADERS.has(name) || name.startsWith('x-amz-meta-')) {
      kept.push([name, value]);
    }
  }
  return kept;
}
