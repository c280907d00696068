import { openGate } from '../gate.ts';
import type { GateOptions } from '../gate.ts';
import { PROBLEM_CONTENT_TYPE } from '../problem.ts';

/** The part of an Express request that `subject` and `cost` see when they name no other type. */
export interface ExpressRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The part of an Express response that is used; a `ServerResponse` of node:http has it. */
export interface ExpressResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/** An Express middleware (4 and 5), also for Connect-style servers on node:http. */
export type ExpressMiddleware<R extends ExpressRequest> = (
  request: R,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Charges requests and answers the refused ones: `app.use(expressQuota({ quota, subject }))`. Failures go to `next(error)`.
 * @throws {QuotaError} as `openGate`.
 */
export function expressQuota<R extends ExpressRequest = ExpressRequest>(
  options: GateOptions<[request: R]>,
): ExpressMiddleware<R> {
  const gate = openGate(options);
  const admitted = async (request: R, response: ExpressResponse): Promise<boolean> => {
    const { headers, problem } = await gate.admit(request);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (problem === undefined) return true;
    response.statusCode = problem.status;
    response.setHeader('Content-Type', PROBLEM_CONTENT_TYPE);
    response.end(JSON.stringify(problem));
    return false;
  };
  return (request, response, next) => {
    const run = async (): Promise<void> => {
      let goesOn = false;
      try {
        goesOn = await admitted(request, response);
      } catch (error) {
        next(error);
      }
      // Outside of the try: what `next` throws must not lead to a second `next`.
      if (goesOn) next();
    };
    void run();
  };
}
