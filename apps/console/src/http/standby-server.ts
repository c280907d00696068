import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES, type GroupSeat } from '@weir/protocol';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { CallLimiter } from '../ports/call-limiter.ts';
import { behindDoor } from './door.ts';
import { answerError, noLeader, replyWithErrors, tooLarge } from './error-replies.ts';
import type { ConsoleMetrics } from './metrics.ts';
import { sendSecurityHeaders } from './security-headers.ts';
import { serveWebPages } from './web-pages.ts';

/** What only the leader answers. */
const LEADERS = /^\/(api|docs)(\/|\?|$)/;

/** Whether a request is for the leader; everything else a standby answers by itself. */
export function isForLeader(path: string): boolean {
  return LEADERS.test(path);
}

/**
 * Whether a body is longer than any console reads. A standby says so itself: the leader closes such a connection at once, and its
 * answer can be lost while the body is still being passed on.
 */
export function isTooLarge({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;
}

/** What a standby answers with. */
export interface StandbyOptions {
  webRoot: string | undefined;
  metrics: ConsoleMetrics;
  metricsToken: string;
  callLimiter: CallLimiter;
  /** Whether this console is reached over TLS. */
  https: boolean;
  uptimeMs: () => number;
  seat: () => GroupSeat;
  /** Why the leader does not answer this request. */
  whyNoLeader: (request: IncomingMessage) => string;
  logger: FastifyBaseLogger;
}

/**
 * The part of a console that needs no leader: pages, liveness, its own metrics. What is for the leader and could not be passed on
 * is refused here.
 */
export async function buildStandbyServer(options: StandbyOptions): Promise<FastifyInstance> {
  const app = Fastify({
    ...behindDoor(),
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    return503OnClosing: false,
  });
  sendSecurityHeaders(app, options.https);
  replyWithErrors(app);
  app.addHook('onRequest', async (request) => {
    if (!isForLeader(request.url)) return;
    throw isTooLarge(request.raw) ? tooLarge() : noLeader(options.whyNoLeader(request.raw));
  });
  app.get('/healthz', () => ({ status: 'ok', uptimeMs: options.uptimeMs(), group: options.seat() }));
  options.metrics.serveAlone(app, options.callLimiter, options.metricsToken);
  await serveWebPages(app, options.webRoot);
  await app.ready();
  return app;
}
