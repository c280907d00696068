import type { FastifyInstance } from 'fastify';

/** Pages load only what the console itself serves, run no inline script, and are never framed. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The API page sets inline styles and shows images from data: addresses; scripts stay as strict as everywhere. */
export const DOCS_CONTENT_SECURITY_POLICY: string = `${CONTENT_SECURITY_POLICY}; style-src 'self' 'unsafe-inline'`;

/** Answers of the API are about now and about one person. */
export const UNCACHED = 'no-store';

/** Headers on every answer. @param https whether browsers are to come over TLS only from now on */
export function securityHeaders(https: boolean): Readonly<Record<string, string>> {
  return {
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    ...(https ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}

/** Sets them, and keeps answers out of caches that do not say for themselves how long they last, as files do. */
export function sendSecurityHeaders(app: FastifyInstance, https: boolean): void {
  const headers = securityHeaders(https);
  // Hooks with a callback: each one with a promise would be a few microseconds of every heartbeat.
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(headers);
    done();
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    const said = reply.hasHeader('cache-control') || reply.raw.hasHeader('cache-control');
    if (!said) void reply.header('cache-control', UNCACHED);
    done();
  });
}
