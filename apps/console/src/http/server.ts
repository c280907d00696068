import cookie from '@fastify/cookie';
import { MAX_BODY_BYTES, type GroupSeat } from '@weir/protocol';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { hostname } from 'node:os';
import { ConsoleError } from '../actions/console-error.ts';
import type { ConsoleContext } from '../actions/context.ts';
import type { Surroundings } from '../actions/list-consoles.ts';
import type { Roster } from '../ports/roster.ts';
import { describeApi } from './api-description.ts';
import { believesNamed, clientBehind, nameClient } from './client-address.ts';
import { CONNECTION_LIMITS } from './connection-limits.ts';
import { behindDoor } from './door.ts';
import type { Handlers } from './call.ts';
import { answerClientError, answerError, noLeader, replyWithErrors, staleAnswer } from './error-replies.ts';
import { HeartbeatLane } from './heartbeat-lane.ts';
import type { ConsoleMetrics } from './metrics.ts';
import { serveFailureDownloads } from './failure-downloads.ts';
import { registerRoutes } from './route-table.ts';
import { accountRoutes } from './routes/account-routes.ts';
import { agentRoutes } from './routes/agent-routes.ts';
import { alarmRoutes } from './routes/alarm-routes.ts';
import { consoleRoutes } from './routes/console-routes.ts';
import { fleetRoutes } from './routes/fleet-routes.ts';
import { endpointRoutes, jobRoutes } from './routes/job-routes.ts';
import { quotaRoutes } from './routes/quota-routes.ts';
import { sessionRoutes } from './routes/session-routes.ts';
import { settingsRoutes } from './routes/settings-routes.ts';
import { sendSecurityHeaders } from './security-headers.ts';
import { validateWithSchemas } from './validation.ts';
import { serveWebPages } from './web-pages.ts';

/** What the server needs besides the context. */
export interface ServerOptions {
  version: string;
  /** Where the database is, for people. */
  database: Surroundings['database'];
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
  /** Proxies whose word for the address of a client counts: addresses and CIDR blocks. Of a group, the door asks them. */
  trustedProxies: readonly string[];
  logger: FastifyBaseLogger;
  /** In a group of consoles: requests come through the door of this process, and are answered while it leads. */
  group?: {
    /** Whether this console leads for certain, at this moment. */
    leads: () => boolean;
    /** What health says of the group. */
    seat: () => GroupSeat;
    /** Who else is there. */
    roster: Roster;
  };
}

/** Builds the HTTP server with every route of the table; it does not listen yet. */
export async function buildServer(
  context: ConsoleContext,
  metrics: ConsoleMetrics,
  options: ServerOptions,
): Promise<FastifyInstance> {
  const app = newServer(options);
  const lane = openLane(app, context, metrics, options);
  const clientOf = clientBehind(options.trustedProxies);
  if (options.group === undefined) app.addHook('onRequest', async ({ raw }) => nameClient(raw, clientOf(raw)));
  // Only JSON is read: a form of another site cannot send it without asking first.
  app.removeContentTypeParser('text/plain');
  // Hooks with a callback: each one with a promise would be a few microseconds of every heartbeat.
  app.addHook('onRequest', (_request, _reply, done) => {
    if (!options.closing()) done();
    else if (options.group !== undefined) done(noLeader('The leader is stopping: another console takes over.'));
    else done(new ConsoleError('unavailable', 'The console is stopping: try again.', { retryAfterMs: 1_000 }));
  });
  if (options.group !== undefined) refuseStaleAnswers(app, options.group.leads);
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url, ip } = request;
    request.log.debug({ method, url, ip, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered');
    done();
  });
  await app.register(cookie);
  sendSecurityHeaders(app, options.tls !== undefined);
  validateWithSchemas(app);
  replyWithErrors(app);
  metrics.serve(app, context, options.metricsToken);
  await describeApi(app, context, options.version);
  registerRoutes(app, context, handlersOf(context, options), { secureCookies: options.secureCookies, lane });
  serveFailureDownloads(app, context);
  await serveWebPages(app, options.webRoot);
  await app.ready();
  return app;
}

/** Has heartbeats go by their lane, whether requests come from the server of the application or through a door. */
function openLane(
  app: FastifyInstance,
  context: ConsoleContext,
  metrics: ConsoleMetrics,
  { tls, closing, logger, group }: ServerOptions,
): HeartbeatLane {
  // Needs no `this`: the framework makes it as a plain function.
  // oxlint-disable-next-line typescript/unbound-method -- it has to be the same function that listens
  const framework = app.routing;
  const leads = group?.leads ?? (() => true);
  const lane = new HeartbeatLane(context, { metrics, logger, https: tls !== undefined, closing, leads, framework });
  app.server.off('request', framework).on('request', lane.answer);
  app.routing = lane.answer;
  return lane;
}

/** Errors found before a route is, such as a path that cannot be decoded. */
function answerFrameworkError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  void answerError(error, request, reply);
}

/** An answer that was worked out under a lead that is lost is not given. */
function refuseStaleAnswers(app: FastifyInstance, leads: () => boolean): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (reply.statusCode >= 500 || leads()) done();
    else done(staleAnswer());
  });
}

function newServer({ logger, tls, group, trustedProxies }: ServerOptions): FastifyInstance {
  const settings = {
    loggerInstance: logger,
    // Heartbeats would fill the log: failures are logged where they happen.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: CONNECTION_LIMITS.requestTimeoutMs,
    keepAliveTimeout: CONNECTION_LIMITS.keepAliveMs,
    connectionTimeout: CONNECTION_LIMITS.stalledMs,
    forceCloseConnections: 'idle',
    // Answered by the hook below, in the form of the wire.
    return503OnClosing: false,
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: answerClientError,
    routerOptions: { maxParamLength: 200 },
    trustProxy: trustedProxies.length > 0 && believesNamed,
  } as const;
  if (group !== undefined) return Fastify({ ...settings, ...behindDoor() });
  const { headersTimeoutMs: headersTimeout, checkMs: connectionsCheckingInterval } = CONNECTION_LIMITS;
  const timeouts = { headersTimeout, connectionsCheckingInterval };
  if (tls === undefined) return Fastify({ ...settings, http: timeouts });
  return Fastify({ ...settings, https: { ...tls, ...timeouts } });
}

function handlersOf(context: ConsoleContext, options: ServerOptions): Handlers {
  const product = {
    version: options.version,
    startedAtSteadyMs: context.clock.steadyMs(),
    ...(options.group === undefined ? {} : { seat: options.group.seat }),
  };
  return {
    ...sessionRoutes(context, product),
    ...consoleRoutes(context, surroundingsOf(options, product.startedAtSteadyMs)),
    ...agentRoutes(context),
    ...fleetRoutes(context, () => ({ url: options.publicUrl(), roster: options.group?.roster })),
    ...endpointRoutes(context),
    ...jobRoutes(context),
    ...settingsRoutes(context),
    ...accountRoutes(context),
    ...alarmRoutes(context),
    ...quotaRoutes(context),
  };
}

/** What the list of consoles says besides the live state. */
function surroundingsOf(
  { database, version, publicUrl, group }: ServerOptions,
  startedAtSteadyMs: number,
): Surroundings {
  return {
    database,
    startedAtSteadyMs,
    self: () => ({ consoleId: 'alone', url: publicUrl(), host: hostname(), version }),
    group: group && { roster: group.roster, fence: () => group.seat().fence },
  };
}
