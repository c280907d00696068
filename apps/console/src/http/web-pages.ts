import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { ConsoleError } from '../actions/console-error.ts';
import { sendRefusal } from './error-replies.ts';

/** Paths that belong to the API, and paths of files (with a dot): a page is never sent for them. */
const NO_PAGE = /^\/(api|docs|healthz|metrics|assets)(\/|\?|$)|^[^?]*\.[^/?]*(\?|$)/;

/**
 * Serves the pages. Files below assets/ carry a hash in their names and are cached for a year; everything else is asked
 * for again. A path that is no file is a page of the application, which finds its way itself.
 * @param webRoot directory with index.html; undefined: no pages
 */
export async function serveWebPages(app: FastifyInstance, webRoot: string | undefined): Promise<void> {
  if (webRoot !== undefined) {
    await app.register(fastifyStatic, {
      root: webRoot,
      cacheControl: false,
      // What begins with a dot was left there by an editor or a version control, not by the build.
      dotfiles: 'ignore',
      setHeaders: (response, path) => {
        const hashed = path.startsWith(join(webRoot, 'assets'));
        response.setHeader('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
  }
  app.setNotFoundHandler((request, reply) => {
    const page = (request.method === 'GET' || request.method === 'HEAD') && !NO_PAGE.test(request.url);
    if (webRoot !== undefined && page) return reply.sendFile('index.html');
    return sendRefusal(
      reply,
      new ConsoleError('not-found', `There is nothing at ${request.method} ${request.url.slice(0, 200)}.`),
    );
  });
}
