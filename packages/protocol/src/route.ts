import { z } from 'zod';

/**
 * Who may call a route. `enrolment`: the enrolment token · `agent`: an agent's own credential (both as
 * `Authorization: Bearer …`) · viewer, operator, admin: a session of at least that role.
 */
export type RouteAuth = 'public' | 'enrolment' | 'agent' | 'viewer' | 'operator' | 'admin';

/** One route of the console. `:name` in the path is filled from `params`. */
export interface Route<
  Params extends z.ZodType | undefined = z.ZodType | undefined,
  Query extends z.ZodType | undefined = z.ZodType | undefined,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
  Response extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path with `:name` parameters. */
  path: string;
  auth: RouteAuth;
  summary: string;
  params: Params;
  query: Query;
  body: Body;
  response: Response;
}

/** What a route may declare besides its response. */
export interface RouteParts<P, Q, B, R> {
  params?: P;
  query?: Q;
  body?: B;
  response: R;
}

/**
 * One entry of the table; parts that are not given are absent. Their types are named one by one: `Required<…>` would make `never`
 * of an absent one in programs that are compiled without `exactOptionalPropertyTypes`, which could then call no route.
 */
export function route<
  R extends z.ZodType,
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  method: Route['method'],
  path: string,
  auth: RouteAuth,
  summary: string,
  parts: RouteParts<P, Q, B, R>,
): Route<P, Q, B, R> {
  const absent = { params: undefined, query: undefined, body: undefined };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an absent part is `undefined`, which is then its type
  return { method, path, auth, summary, ...absent, ...parts } as ReturnType<typeof route<R, P, Q, B>>;
}

/** Most rows of an answer. */
export const pageQuery = z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100) });
