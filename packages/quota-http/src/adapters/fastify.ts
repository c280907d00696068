import { openGate } from '../gate.ts';
import type { GateOptions } from '../gate.ts';
import { PROBLEM_CONTENT_TYPE } from '../problem.ts';

/** The part of a Fastify request that `subject` and `cost` see when they name no other type. */
export interface FastifyRequestPart {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The part of a Fastify reply that is used. */
export interface FastifyReplyPart {
  code(statusCode: number): unknown;
  header(name: string, value: string): unknown;
  send(payload: string): unknown;
}

/** An asynchronous hook. */
export type FastifyHook<R extends FastifyRequestPart> = (request: R, reply: FastifyReplyPart) => Promise<unknown>;

/**
 * Charges requests and answers the refused ones, for all routes or one: `app.addHook('onRequest', fastifyQuota({ quota, subject }))`,
 * `{ preHandler: fastifyQuota(…) }`. Failures reject, so Fastify's error handler answers.
 * @throws {QuotaError} as `openGate`.
 */
export function fastifyQuota<R extends FastifyRequestPart = FastifyRequestPart>(
  options: GateOptions<[request: R]>,
): FastifyHook<R> {
  const gate = openGate(options);
  return async (request, reply) => {
    const { headers, problem } = await gate.admit(request);
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    if (problem === undefined) return undefined;
    reply.code(problem.status);
    reply.header('Content-Type', PROBLEM_CONTENT_TYPE);
    reply.send(JSON.stringify(problem));
    // Returning the reply tells Fastify that the hook has answered.
    return reply;
  };
}
