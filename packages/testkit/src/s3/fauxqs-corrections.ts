import type { buildApp } from 'fauxqs';
import { openUpload, openUploads } from './fauxqs-store.ts';
import type { FauxqsStore } from './fauxqs-store.ts';

type App = ReturnType<typeof buildApp>;

/** Largest body accepted, in bytes: one single PUT below the multipart threshold of 128 MiB, with room to spare. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** Headers that S3 keeps with an object and fauxqs drops. */
const CONTENT_HEADERS = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'expires'];
const KEPT_AS = 'x-amz-meta-kept-header-';

/**
 * Makes an app of fauxqs 1.9.2 behave as S3 where a copy depends on it. Each correction names what happens without it.
 */
export function correctFauxqs(app: App, store: FauxqsStore): void {
  takeAnyBody(app);
  keepContentHeaders(app);
  encodeListings(app);
  answerUploadListings(app, store);
}

/**
 * Bodies: without this an empty body without content type is `undefined` and fails with status 500, an object of type
 * application/x-www-form-urlencoded is parsed as a form, and more than 11 MiB are refused with 413.
 */
function takeAnyBody(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) => {
    done(null, body);
  });
  app.addHook('preHandler', (request, _reply, done) => {
    request.body ??= Buffer.alloc(0);
    done();
  });
}

/** Content headers travel through fauxqs as user metadata, which it does keep, and come back under their own names. */
function keepContentHeaders(app: App): void {
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.method === 'PUT' || request.method === 'POST') {
      for (const name of CONTENT_HEADERS) {
        const value = request.headers[name];
        if (typeof value === 'string') request.headers[KEPT_AS + name] = value;
      }
    }
    done();
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    for (const name of CONTENT_HEADERS) {
      const value = reply.getHeader(KEPT_AS + name);
      if (value === undefined) continue;
      reply.removeHeader(KEPT_AS + name);
      reply.header(name, value);
    }
    done();
  });
}

/** `encoding-type=url` is ignored otherwise: control characters then stand raw in the XML, which no parser has to accept. */
function encodeListings(app: App): void {
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (typeof payload !== 'string' || !payload.includes('<ListBucketResult')) {
      done(null, payload);
      return;
    }
    if (queryOf(request)['encoding-type'] !== 'url') {
      done(null, payload);
      return;
    }
    const encoded = payload.replace(
      /<(Key|Prefix|Delimiter|Marker|NextMarker|StartAfter)>([\s\S]*?)<\/\1>/g,
      (_match, element: string, text: string) => `<${element}>${encodeURIComponent(unescapeXml(text))}</${element}>`,
    );
    done(null, encoded.replace('<IsTruncated>', '<EncodingType>url</EncodingType>\n  <IsTruncated>'));
  });
}

/** ListParts and ListMultipartUploads do not exist in fauxqs: it answers with the object or with a listing. */
function answerUploadListings(app: App, store: FauxqsStore): void {
  app.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'GET') return undefined;
    const query = queryOf(request);
    const bucket = paramsOf(request)['bucket'] ?? '';
    if (query['uploads'] !== undefined) {
      return reply.type('application/xml').send(uploadsXml(store, bucket));
    }
    if (query['uploadId'] === undefined) return undefined;
    const parts = partsXml(store, bucket, query['uploadId']);
    if (parts !== null) return reply.type('application/xml').send(parts);
    return reply.code(404).type('application/xml').send('<Error><Code>NoSuchUpload</Code></Error>');
  });
}

function uploadsXml(store: FauxqsStore, bucket: string): string {
  const uploads = openUploads(store, bucket).map(
    (upload) =>
      `<Upload><Key>${encodeURIComponent(upload.key)}</Key><UploadId>${upload.uploadId}</UploadId>` +
      `<Initiated>${upload.initiated.toISOString()}</Initiated></Upload>`,
  );
  return (
    `<ListMultipartUploadsResult><Bucket>${bucket}</Bucket><EncodingType>url</EncodingType>` +
    `<IsTruncated>false</IsTruncated>${uploads.join('')}</ListMultipartUploadsResult>`
  );
}

function partsXml(store: FauxqsStore, bucket: string, uploadId: string): string | null {
  const upload = openUpload(store, uploadId);
  if (upload === undefined || upload.bucket !== bucket) return null;
  const parts = [...upload.parts.values()]
    .sort((a, b) => a.partNumber - b.partNumber)
    .map(
      (part) =>
        `<Part><PartNumber>${part.partNumber}</PartNumber><ETag>${part.etag.replaceAll('"', '&quot;')}</ETag>` +
        `<Size>${part.body.length}</Size><LastModified>${part.lastModified.toISOString()}</LastModified></Part>`,
    );
  return (
    `<ListPartsResult><Bucket>${bucket}</Bucket><UploadId>${uploadId}</UploadId>` +
    `<IsTruncated>false</IsTruncated>${parts.join('')}</ListPartsResult>`
  );
}

function queryOf(request: { query: unknown }): Record<string, string | undefined> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Fastify's own query parser makes
  return (request.query ?? {}) as Record<string, string | undefined>;
}

function paramsOf(request: { params: unknown }): Record<string, string | undefined> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Fastify's router makes
  return (request.params ?? {}) as Record<string, string | undefined>;
}

function unescapeXml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}
