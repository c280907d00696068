import { type ErrorBody, errorBody, type RouteName, type Route, routes } from '@weir/protocol';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteOptions as FastifyRouteOptions,
} from 'fastify';
import { STATUS_CODES } from 'node:http';
import type { z } from 'zod';
import type { ConsoleContext } from '../actions/context.ts';
import { onBehalfOf } from '../actions/request-origin.ts';
import { authenticate, SESSION_COOKIE } from './authentication.ts';
import type { Call, Caller, Handler, Handlers, SessionCookie } from './call.ts';
import type { HeartbeatLane } from './heartbeat-lane.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent it; null before that is known. */
    caller: Caller | null;
  }
}

/**
 * Routes whose answers are very many or, of a large fleet, very long. They are not checked against their schema once more, which
 * the compiler and the tests have done: a check of a megabyte holds up heartbeats for tens of milliseconds.
 */
const UNCHECKED: ReadonlySet<RouteName> = new Set(['heartbeat', 'monitor', 'monitorHistory', 'agents']);
const unchecked: Partial<FastifyRouteOptions> = {
  serializerCompiler: () => (answer: unknown) => JSON.stringify(answer),
};

/** A large fleet calls this thousands of times a second: lines of the log carry no number of a request. */
const heartbeatRoute = (lane: HeartbeatLane): Partial<FastifyRouteOptions> => ({
  childLoggerFactory: (logger: FastifyBaseLogger) => logger,
  preParsing: (request, _reply, payload, done) => done(null, lane.bodyOf(request.raw) ?? payload),
});

/** Statuses with an error body that the API description lists for every route. */
const ERROR_STATUSES = [400, 401, 403, 404, 409, 413, 422, 426, 429, 500, 503, 504];

/** How the routes are served. */
export interface RouteOptions {
  /** Whether browsers send the session cookie over TLS only. */
  secureCookies: boolean;
  /** Where heartbeats come from that the framework has to answer. */
  lane: HeartbeatLane;
}

/** Registers every route of the table with its handler: authenticated first, validated then, answered last. */
export function registerRoutes(
  app: FastifyInstance,
  context: ConsoleContext,
  handlers: Handlers,
  options: RouteOptions,
): void {
  app.decorateRequest('caller', null);
  for (const name of Object.keys(routes)) {
    if (isRouteName(name)) register(app, context, name, handlers[name], options);
  }
}

function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(routes, name);
}

function register<Name extends RouteName>(
  app: FastifyInstance,
  context: ConsoleContext,
  name: Name,
  handler: Handler<Name>,
  { secureCookies, lane }: RouteOptions,
): void {
  const { method, path, auth, summary, params, query, body, response }: Route = routes[name];
  app.route({
    method,
    url: path,
    // Before the body is read: a stranger costs nothing and learns nothing about the form of the request.
    onRequest: async (request) => {
      request.caller = lane.callerOf(request.raw) ?? (await authenticate(context, request, auth));
    },
    ...(UNCHECKED.has(name) && unchecked),
    ...(name === 'heartbeat' && heartbeatRoute(lane)),
    schema: {
      ...described(name, summary, auth),
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      response: { 200: response, ...errorResponses() },
    },
    handler: async (request, reply) => {
      const call = callOf<Name>(request, reply, secureCookies);
      // Agents call very often, and what they do says by itself where it comes from.
      const answer = auth === 'agent' ? handler(call) : onBehalfOf(request.ip, () => handler(call));
      return reply.send(await answer);
    },
  });
}

/** For the API description. */
function described(name: string, summary: string, auth: string): object {
  const security = { enrolment: [{ enrolmentToken: [] }], agent: [{ agentCredential: [] }], public: [] }[auth];
  return {
    operationId: name,
    summary,
    description: `Who may call: ${auth}.`,
    tags: [auth === 'agent' || auth === 'enrolment' ? 'agents' : 'console'],
    security: security ?? [{ session: [] }],
  };
}

function errorResponses(): Record<number, z.ZodType<ErrorBody>> {
  return Object.fromEntries(
    ERROR_STATUSES.map((status) => [status, errorBody.describe(STATUS_CODES[status] ?? 'Error')]),
  );
}

function callOf<Name extends RouteName>(request: FastifyRequest, reply: FastifyReply, secure: boolean): Call<Name> {
  const call = {
    params: request.params,
    query: request.query,
    body: request.body,
    caller: request.caller,
    address: request.ip,
    onUndelivered(run: () => void) {
      reply.raw.on('close', () => {
        if (!reply.raw.writableFinished) run();
      });
    },
    cookie: cookieOf(reply, secure),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schemas of this route have just parsed these parts
  return call as Call<Name>;
}

function cookieOf(reply: FastifyReply, secure: boolean): SessionCookie {
  const attributes = {
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure,
  } as const;
  return {
    set: (token, maxAge) => void reply.setCookie(SESSION_COOKIE, token, { ...attributes, maxAge }),
    clear: () => void reply.clearCookie(SESSION_COOKIE, attributes),
  };
}
