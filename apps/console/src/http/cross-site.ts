import type { FastifyRequest } from 'fastify';
import { ConsoleError } from '../actions/console-error.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses requests that change something, carry or could set a cookie, and come from another site. Browsers say where a
 * request comes from in `Sec-Fetch-Site` and `Origin`, which pages cannot forge; a program that sends neither is no browser
 * and holds its cookie by itself. Together with SameSite=Strict cookies and JSON-only bodies.
 * @throws ConsoleError cross-site-request
 */
export function refuseCrossSite(request: FastifyRequest): void {
  if (SAFE.has(request.method)) return;
  const site = request.headers['sec-fetch-site'];
  const { origin, host } = request.headers;
  const sameSite = site === undefined || site === 'same-origin' || site === 'none';
  if (sameSite && (origin === undefined || hostOf(origin) === host)) return;
  throw new ConsoleError(
    'cross-site-request',
    'This request comes from another site: use the pages of the console itself.',
  );
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
