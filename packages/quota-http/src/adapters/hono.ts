import { admissionOf, openGate } from '../gate.ts';
import type { GateOptions } from '../gate.ts';
import { problemResponse } from './fetch.ts';

/** The part of Hono's context that is used, and that `subject` and `cost` see when they name no other type. */
export interface HonoContext {
  readonly req: {
    readonly raw: Request;
    readonly method: string;
    readonly path: string;
    header(name: string): string | undefined;
  };
  header(name: string, value: string): void;
}

/** A Hono middleware. */
export type HonoMiddleware<C extends HonoContext> = (
  context: C,
  next: () => Promise<void>,
) => Promise<Response | undefined>;

/**
 * Charges requests and answers the refused ones: `app.use(honoQuota({ quota, subject }))`. Failures reject, so `app.onError`
 * answers.
 * @throws {QuotaError} as `openGate`.
 */
export function honoQuota<C extends HonoContext = HonoContext>(options: GateOptions<[context: C]>): HonoMiddleware<C> {
  const gate = openGate(options);
  return async (context, next) => {
    const { headers, problem } = await gate.admit(context);
    if (problem !== undefined) return problemResponse(problem, headers);
    await next();
    // Afterwards, because a handler that returns a response of its own drops headers that were set before.
    for (const [name, value] of Object.entries(admissionOf(context)?.headers ?? headers)) context.header(name, value);
    return undefined;
  };
}
