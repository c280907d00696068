import { admissionOf, openGate } from '../gate.ts';
import type { GateOptions } from '../gate.ts';
import { PROBLEM_CONTENT_TYPE } from '../problem.ts';
import type { QuotaProblem } from '../problem.ts';
import type { HeaderFields } from '../rate-limit-headers.ts';

/** A handler of Deno, Bun, Workers and others; `rest` is what the platform adds: environment, connection. */
export type FetchHandler<Rest extends unknown[]> = (request: Request, ...rest: Rest) => Response | Promise<Response>;

/**
 * Wraps a handler: refused requests are answered without calling it. Failures reject.
 * @throws {QuotaError} as `openGate`.
 */
export function fetchQuota<Rest extends unknown[]>(
  options: GateOptions<[request: Request, ...rest: Rest]>,
  handler: FetchHandler<Rest>,
): (request: Request, ...rest: Rest) => Promise<Response> {
  const gate = openGate(options);
  return async (request, ...rest) => {
    const { headers, problem } = await gate.admit(request, ...rest);
    if (problem !== undefined) return problemResponse(problem, headers);
    const response = await handler(request, ...rest);
    // A wrapped handler inside may have charged, too; its headers and ours are told together.
    return withHeaders(response, admissionOf(request)?.headers ?? headers);
  };
}

/** The answer to a refused request. */
export function problemResponse(problem: QuotaProblem, headers: HeaderFields): Response {
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...headers, 'Content-Type': PROBLEM_CONTENT_TYPE },
  });
}

/** The response with these headers; a copy when its own cannot be changed, as those of a redirect or of `fetch`. */
function withHeaders(response: Response, headers: HeaderFields): Response {
  const fields = Object.entries(headers);
  try {
    for (const [name, value] of fields) response.headers.set(name, value);
    return response;
  } catch {
    const { body, status, statusText } = response;
    const copied = new Headers(response.headers);
    for (const [name, value] of fields) copied.set(name, value);
    return new Response(body, { status, statusText, headers: copied });
  }
}
