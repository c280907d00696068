import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES, type GroupSeat } from '@weir/protocol';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { ConsoleError } from '../actions/console-error.ts';
import type { CallLimiter } from '../ports/call-limiter.ts';
import { behindDoor } from './door.ts';
import { answerError, replyWithErrors } from './error-replies.ts';
import type { ConsoleMetrics } from './metrics.ts';
import { sendSecurityHeaders } from './security-headers.ts';
import { serveWebPages } from './web-pages.ts';

/** What only the leader answers. */
const LEADERS = /^\/(api|docs)(\/|$)/;
/** What comes before the path in a target that is a whole address, as proxies are sent. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/**
 * Whether a request is for the leader; everything else a standby answers by itself. Read as the leader's router reads it, so that
 * no spelling of a path is answered here that the leader would answer otherwise.
 * @param target as it stands in the request
 */
export function isForLeader(target: string): boolean {
  const [path = ''] = target.replace(ORIGIN, '').split(/[?#]/, 1);
  if (!path.includes('%')) return LEADERS.test(path);
  try {
    return LEADERS.test(decodeURI(path));
  } catch {
    // The standby refuses it in the same words.
    return false;
  }
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
  /** What to say of a request for the leader, which was not passed on or not answered. */
  refusalOf: (request: IncomingMessage) => ConsoleError;
  /** Why nobody should be sent to this console; null: it is fit to be asked, whoever leads. */
  unfit: () => ConsoleError | null;
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
    if (isForLeader(request.url)) throw options.refusalOf(request.raw);
  });
  app.get('/healthz', () => {
    const unfit = options.unfit();
    if (unfit !== null) throw unfit;
    return { status: 'ok', uptimeMs: options.uptimeMs(), group: options.seat() };
  });
  options.metrics.serveAlone(app, options.callLimiter, options.metricsToken);
  await serveWebPages(app, options.webRoot);
  await app.ready();
  return app;
}
