/**
 * Names the S3 operation of a request in path style, for counting.
 * @param target path and query as they came.
 */
export function operationName(method: string, target: string, headers: Readonly<Record<string, unknown>>): string {
  const cut = target.indexOf('?');
  const path = cut < 0 ? target : target.slice(0, cut);
  const query = new Set((cut < 0 ? '' : target.slice(cut + 1)).split('&').map((pair) => pair.split('=', 1)[0] ?? ''));
  const slash = path.indexOf('/', 1);
  const bucket = path.slice(1, slash < 0 ? undefined : slash);
  const hasKey = slash > 0 && slash < path.length - 1;
  if (bucket === '') return 'ListBuckets';
  return hasKey ? objectOperation(method, query, headers) : bucketOperation(method, query);
}

function bucketOperation(method: string, query: ReadonlySet<string>): string {
  if (method === 'HEAD') return 'HeadBucket';
  if (method === 'PUT') return 'CreateBucket';
  if (method === 'GET' && query.has('uploads')) return 'ListMultipartUploads';
  if (method === 'GET' && query.has('list-type')) return 'ListObjectsV2';
  return `${method} bucket`;
}

function objectOperation(
  method: string,
  query: ReadonlySet<string>,
  headers: Readonly<Record<string, unknown>>,
): string {
  const inUpload = query.has('uploadId');
  const copies = headers['x-amz-copy-source'] !== undefined;
  switch (method) {
    case 'HEAD':
      return 'HeadObject';
    case 'GET':
      return inUpload ? 'ListParts' : query.has('tagging') ? 'GetObjectTagging' : 'GetObject';
    case 'PUT':
      if (query.has('partNumber')) return copies ? 'UploadPartCopy' : 'UploadPart';
      return copies ? 'CopyObject' : 'PutObject';
    case 'POST':
      return query.has('uploads') ? 'CreateMultipartUpload' : inUpload ? 'CompleteMultipartUpload' : 'POST object';
    case 'DELETE':
      return inUpload ? 'AbortMultipartUpload' : 'DeleteObject';
    default:
      return `${method} object`;
  }
}
