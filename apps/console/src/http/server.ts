import cookie from '@fastify/cookie';
import { MAX_BODY_BYTES } from '@weir/protocol';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { ConsoleError } from '../actions/console-error.ts';
import type { ConsoleContext } from '../actions/context.ts';
import { describeApi } from './api-description.ts';
import type { Handlers } from './call.ts';
import { answerClientError, answerError, replyWithErrors } from './error-replies.ts';
import type { ConsoleMetrics } from './metrics.ts';
import { serveFailureDownloads } from './failure-downloads.ts';
import { registerRoutes } from './route-table.ts';
import { accountRoutes } from './routes/account-routes.ts';
import { agentRoutes } from './routes/agent-routes.ts';
import { alarmRoutes } from './routes/alarm-routes.ts';
import { fleetRoutes } from './routes/fleet-routes.ts';
import { endpointRoutes, jobRoutes } from './routes/job-routes.ts';
import { quotaRoutes } from './routes/quota-routes.ts';
import { sessionRoutes } from './routes/session-routes.ts';
import { settingsRoutes } from './routes/settings-routes.ts';
import { sendSecurityHeaders } from './security-headers.ts';
import { validateWithSchemas } from './validation.ts';
import { serveWebPages } from './web-pages.ts';

/** Time to send a whole request: far more than any needs, and an end to senders that dribble. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Time to send its headers, or anything at all on a new connection. */
const HEADERS_TIMEOUT_MS = 20_000;
/** How often both are looked at: they may be exceeded by this much. */
const TIMEOUT_CHECK_MS = 5_000;
/**
 * A connection on which nothing moves for this long is closed, also in the middle of an answer: a reader that stopped reading
 * would hold what was prepared for it for ever. Far longer than any answer takes to begin, a claim that waits for work included.
 */
const STALLED_MS = 120_000;
/** An idle connection is closed after this; longer than a window, so that a heartbeat finds its connection open. */
const KEEP_ALIVE_MS = 75_000;

/** What the server needs besides the context. */
export interface ServerOptions {
  version: string;
  metricsToken: string;
  /** Address that agents are told; asked late, because the port may be chosen by the system. */
  publicUrl: () => string;
  webRoot: string | undefined;
  /** Whether browsers send the session cookie over TLS only. */
  secureCookies: boolean;
  /** Whether the console is shutting down: nothing new is begun then. */
  closing: () => boolean;
  /** TLS certificate and its key, PEM; undefined: plain HTTP. */
  tls: { cert: Buffer; key: Buffer } | undefined;
  logger: FastifyBaseLogger;
}

/** Builds the HTTP server with every route of the table; it does not listen yet. */
export async function buildServer(
  context: ConsoleContext,
  metrics: ConsoleMetrics,
  options: ServerOptions,
): Promise<FastifyInstance> {
  const app = newServer(options);
  // Only JSON is read: a form of another site cannot send it without asking first.
  app.removeContentTypeParser('text/plain');
  app.addHook('onRequest', async () => {
    if (options.closing())
      throw new ConsoleError('unavailable', 'The console is stopping: try again.', { retryAfterMs: 1_000 });
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, url, ip } = request;
    request.log.debug({ method, url, ip, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered');
  });
  await app.register(cookie);
  sendSecurityHeaders(app, options.tls !== undefined);
  validateWithSchemas(app);
  replyWithErrors(app);
  metrics.serve(app, context, options.metricsToken);
  await describeApi(app, context, options.version);
  registerRoutes(app, context, handlersOf(context, options), options.secureCookies);
  serveFailureDownloads(app, context);
  await serveWebPages(app, options.webRoot);
  await app.ready();
  return app;
}

/** Errors found before a route is, such as a path that cannot be decoded. */
function answerFrameworkError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  void answerError(error, request, reply);
}

function newServer({ logger, tls }: ServerOptions): FastifyInstance {
  const settings = {
    loggerInstance: logger,
    // Heartbeats would fill the log: failures are logged where they happen.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: STALLED_MS,
    forceCloseConnections: 'idle',
    // Answered by the hook below, in the form of the wire.
    return503OnClosing: false,
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: answerClientError,
    routerOptions: { maxParamLength: 200 },
  } as const;
  const timeouts = { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: TIMEOUT_CHECK_MS };
  if (tls === undefined) return Fastify({ ...settings, http: timeouts });
  return Fastify({ ...settings, https: { ...tls, ...timeouts } });
}

function handlersOf(context: ConsoleContext, options: ServerOptions): Handlers {
  const product = { version: options.version, startedAtSteadyMs: context.clock.steadyMs() };
  return {
    ...sessionRoutes(context, product),
    ...agentRoutes(context),
    ...fleetRoutes(context, options.publicUrl),
    ...endpointRoutes(context),
    ...jobRoutes(context),
    ...settingsRoutes(context),
    ...accountRoutes(context),
    ...alarmRoutes(context),
    ...quotaRoutes(context),
  };
}
