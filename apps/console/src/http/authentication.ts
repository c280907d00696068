import { ROLES, type Role, type RouteAuth } from '@weir/protocol';
import type { FastifyRequest } from 'fastify';
import { ConsoleError } from '../actions/console-error.ts';
import type { ConsoleContext } from '../actions/context.ts';
import { findSession } from '../actions/find-session.ts';
import { notAccepted } from '../actions/require-accepted-agent.ts';
import type { LiveAgent } from '../fleet/live-agent.ts';
import { digestOf, sameSecret } from '../security/digests.ts';
import type { Caller } from './call.ts';
import { refuseCrossSite } from './cross-site.ts';

/** Name of the session cookie. */
export const SESSION_COOKIE = 'weir_session';

/**
 * Who calls, if they may call a route with this `auth`. Each kind of credential opens its own routes only: an agent's
 * opens no page, a session no agent route.
 * @throws ConsoleError unauthenticated, wrong-credentials, agent-revoked, wrong-enrolment-token, forbidden, cross-site-request,
 * too-many-requests
 */
export async function authenticate(context: ConsoleContext, request: FastifyRequest, auth: RouteAuth): Promise<Caller> {
  if (auth === 'enrolment') return enroller(context, request);
  if (auth === 'agent') return agent(context, request);
  // Logging in is public and sets a cookie, so it must not be possible from another site either.
  refuseCrossSite(request);
  // Before anything is looked up: a flood of calls costs little.
  admitted(context.callLimiter.admit(request.ip), `from ${request.ip}`);
  return auth === 'public' ? { kind: 'anyone' } : person(context, request, auth);
}

/** Lets a stranger read the API's description, now and then. @throws ConsoleError too-many-requests */
export function admitDescription({ callLimiter }: ConsoleContext, request: FastifyRequest): void {
  admitted(callLimiter.admitDescription(request.ip), `from ${request.ip}`);
}

/** @param waitMs what the limiter said */
function admitted(waitMs: number | null, who: string): void {
  if (waitMs === null) return;
  const message = `Too many calls ${who}: try again in ${Math.ceil(waitMs / 1_000)} s.`;
  throw new ConsoleError('too-many-requests', message, { retryAfterMs: waitMs });
}

function enroller({ enrolmentToken, callLimiter }: ConsoleContext, request: FastifyRequest): Caller {
  const token = bearerOf(request);
  if (token === undefined) throw missing('the enrolment token');
  if (!sameSecret(token, enrolmentToken)) {
    const message = 'The enrolment token is wrong: copy it from the Agents page.';
    throw wrongBearer(callLimiter, request, new ConsoleError('wrong-enrolment-token', message));
  }
  admitted(callLimiter.admitEnrolment(request.ip), `from ${request.ip}`);
  return { kind: 'enroller' };
}

function agent(context: ConsoleContext, request: FastifyRequest): Caller {
  const credential = bearerOf(request);
  if (credential === undefined) throw missing("an agent's credential");
  const found = agentWith(context, request);
  if (found === undefined) {
    throw wrongBearer(context.callLimiter, request, notAccepted(context.fleet, digestOf(credential)));
  }
  admitAgent(context, found);
  return { kind: 'agent', agent: found };
}

/** The agent whose credential a request shows; undefined: it shows none, or one that is unknown or revoked. */
export function agentWith({ fleet }: ConsoleContext, request: Pick<FastifyRequest, 'headers'>): LiveAgent | undefined {
  const credential = bearerOf(request);
  return credential === undefined ? undefined : fleet.byCredential(digestOf(credential));
}

/** Counts a call of an agent. @throws ConsoleError too-many-requests */
export function admitAgent({ callLimiter }: ConsoleContext, { agentId, name }: LiveAgent): void {
  const waitMs = callLimiter.admitAgent(agentId);
  if (waitMs !== null) admitted(waitMs, `of agent ${name}`);
}

/**
 * The refusal of a wrong token: the given one, or that there were too many. Others behind the same address, who show the
 * right one, are not kept out by it.
 */
export function wrongBearer(
  callLimiter: ConsoleContext['callLimiter'],
  request: FastifyRequest,
  refusal: ConsoleError,
): ConsoleError {
  admitted(callLimiter.admitWrongBearer(request.ip), `with a wrong token from ${request.ip}`);
  return refusal;
}

async function person(context: ConsoleContext, request: FastifyRequest, least: Role): Promise<Caller> {
  const token = request.cookies[SESSION_COOKIE];
  if (token === undefined) throw missing('a login');
  const session = await findSession(context, token);
  if (session === undefined) throw new ConsoleError('unauthenticated', 'The session has ended: log in again.');
  if (ROLES.indexOf(session.role) < ROLES.indexOf(least)) {
    throw new ConsoleError('forbidden', `This needs the role ${least}; ${session.username} is ${session.role}.`);
  }
  return { kind: 'person', ...session, token };
}

function missing(what: string): ConsoleError {
  return new ConsoleError('unauthenticated', `This needs ${what}.`);
}

/** The bearer token of a request; undefined when there is none. */
export function bearerOf(request: Pick<FastifyRequest, 'headers'>): string | undefined {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(request.headers.authorization ?? '')?.[1];
}
