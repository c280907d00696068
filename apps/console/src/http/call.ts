import type { Role, routes, RouteName } from '@weir/protocol';
import type { z } from 'zod';
import type { LiveAgent } from '../fleet/live-agent.ts';

/** Who sent a request, as far as its route asked. */
export type Caller =
  | { kind: 'anyone' }
  | { kind: 'enroller' }
  | { kind: 'agent'; agent: LiveAgent }
  | { kind: 'person'; username: string; role: Role; token: string };

/** How a handler sets and clears the session cookie. */
export interface SessionCookie {
  set(token: string, maxAgeSeconds: number): void;
  clear(): void;
}

type Parsed<Part> = Part extends z.ZodType ? z.output<Part> : undefined;
type Table = typeof routes;

/** A request that was authenticated and validated. */
export interface Call<Name extends RouteName> {
  params: Parsed<Table[Name]['params']>;
  query: Parsed<Table[Name]['query']>;
  body: Parsed<Table[Name]['body']>;
  caller: Caller;
  /** Address that the request came from. */
  address: string;
  /** Runs `run` when the client goes away before the whole answer was sent. */
  onUndelivered(run: () => void): void;
  cookie: SessionCookie;
}

/** Answers one route. */
export type Handler<Name extends RouteName> = (
  call: Call<Name>,
) => z.output<Table[Name]['response']> | Promise<z.output<Table[Name]['response']>>;

/** A handler for each route of the table: one that is missing does not compile. */
export type Handlers = { [Name in RouteName]: Handler<Name> };

/** The agent that calls. Only for routes whose `auth` is `agent`. */
export function agentOf(call: { caller: Caller }): LiveAgent {
  if (call.caller.kind !== 'agent') throw new Error('This route is only for agents.');
  return call.caller.agent;
}

/** The person who calls. Only for routes whose `auth` is a role. */
export function personOf(call: { caller: Caller }): Extract<Caller, { kind: 'person' }> {
  if (call.caller.kind !== 'person') throw new Error('This route is only for people.');
  return call.caller;
}
