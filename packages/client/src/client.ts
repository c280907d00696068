import { routes, type Route, type RouteName } from '@weir/protocol';
import { requestPath } from './address.ts';
import { AddressRing } from './address-ring.ts';
import { NetworkError, parseRefusal } from './errors.ts';
import type { Fetch, FetchAnswer } from './fetch.ts';

type Input<Schema> = Schema extends { _zod: { input: infer Value } } ? Value : never;
type Output<Schema> = Schema extends { _zod: { output: infer Value } } ? Value : never;

/** A member that is required when the route declares the part, and absent when it does not. */
type Part<Name extends string, Schema> = Schema extends undefined
  ? unknown
  : Partial<Input<Schema>> extends Input<Schema>
    ? { [Key in Name]?: Input<Schema> }
    : { [Key in Name]: Input<Schema> };

interface CallOptions {
  /** Gives the call up; it then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Longest time for this call, in ms; default: that of the client. */
  timeoutMs?: number;
}

/** What a call of this route takes: the parts that the route declares, a signal and a time limit. */
export type CallArguments<R extends Route> = CallOptions &
  Part<'params', R['params']> &
  Part<'query', R['query']> &
  Part<'body', R['body']>;

/** What a call of this route returns. */
export type CallResult<R extends Route> = Output<R['response']>;

type RouteOf<Target extends RouteName | Route> = Target extends RouteName
  ? (typeof routes)[Target]
  : Target extends Route
    ? Target
    : never;
type Rest<R extends Route> =
  Partial<CallArguments<R>> extends CallArguments<R> ? [CallArguments<R>?] : [CallArguments<R>];

/** Calls the routes of one console, or of a group of consoles. */
export interface Client {
  /**
   * Calls a route, given by name or as `routes.name`.
   * @returns the answer, checked against the route's schema
   * @throws ApiError when the console refuses, NetworkError when there is no usable answer, the reason of `signal`
   */
  call<Target extends RouteName | Route>(
    target: Target,
    ...rest: Rest<RouteOf<Target>>
  ): Promise<CallResult<RouteOf<Target>>>;
}

export interface ClientOptions {
  /**
   * Address of the console, such as `http://127.0.0.1:8080`; empty in a page that the console served. Or up to 16 addresses of
   * consoles of one group: a call goes to the one that answered last, and at once to the next ones when that cannot be
   * reached, does not answer in time, or knows no leader. A call that may have been carried out is repeated only
   * where that does no harm: reading, and everything that agents call.
   */
  baseUrl: string | readonly string[];
  /** Hears the address that answers when it is another one than before, the first included. */
  onAddress?: (address: string) => void;
  /** Sent as `Authorization: Bearer …` with every call: an enrolment token or an agent's credential. Default: none. */
  token?: string;
  /** Default: the global `fetch`. */
  fetch?: Fetch;
  /** Longest time for one call at one address, in ms; default 30,000. */
  timeoutMs?: number;
  /** Runs something later and returns how to cancel it; default: `setTimeout`. */
  startTimer?: (run: () => void, delayMs: number) => () => void;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Makes a client. Makes no call by itself.
 * @throws TypeError when `baseUrl` is not an address, or with every one of them that is not
 */
export function createClient(options: ClientOptions): Client {
  const ring = new AddressRing(options.baseUrl, options.onAddress);
  const settings: Settings = {
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    token: options.token,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    startTimer: options.startTimer ?? startRealTimer,
  };
  const call = async (target: RouteName | Route, args: LooseArguments = {}): Promise<unknown> =>
    callAround(ring, settings, typeof target === 'string' ? routes[target] : target, args);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- callers see the exact types; the schema checks answers
  return { call: call as Client['call'] };
}

interface Settings {
  fetch: Fetch;
  token: string | undefined;
  timeoutMs: number;
  startTimer: (run: () => void, delayMs: number) => () => void;
}

interface LooseArguments extends CallOptions {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** One round at most: whoever calls again after a while begins where somebody answered last. */
async function callAround(ring: AddressRing, settings: Settings, route: Route, args: LooseArguments): Promise<unknown> {
  const failures: { address: string; error: Error }[] = [];
  for (const address of ring.inOrder()) {
    try {
      const answer = await exchange(settings, address, route, args);
      ring.answered(address);
      return answer;
    } catch (error) {
      if (!(error instanceof Error) || !ring.goesOn(route, error, settings.token !== undefined)) {
        ring.failed(address, error);
        throw error;
      }
      failures.push({ address, error });
    }
  }
  throw ring.verdict(failures);
}

async function exchange(settings: Settings, address: string, route: Route, args: LooseArguments): Promise<unknown> {
  const name = address === '' ? 'the console' : `the console at ${address}`;
  const url = address + requestPath(route.path, args.params ?? {}, args.query ?? {});
  const { answer, text } = await send({ ...settings, name }, route, url, args);
  if (answer.status === 0 || (answer.status >= 300 && answer.status < 400)) {
    const location = answer.headers.get('location');
    throw new NetworkError('redirected', `${name} redirects${location === null ? '' : ` to ${location}`}`, {
      status: answer.status,
    });
  }
  const body = parseJson(text);
  if (answer.status >= 400) {
    const refusal = parseRefusal(answer.status, body, answer.headers.get('retry-after'));
    throw refusal ?? badAnswer(name, answer.status, `status ${answer.status} without an error of Weir's protocol`);
  }
  const parsed = route.response.safeParse(body);
  if (parsed.success) return parsed.data;
  const problem = parsed.error.issues[0];
  throw badAnswer(
    name,
    answer.status,
    problem === undefined || body === undefined
      ? `something that is not JSON to ${route.method} ${route.path}`
      : `an unexpected body to ${route.method} ${route.path}: ${problem.path.join('.') || 'body'}: ${problem.message}`,
  );
}

function badAnswer(name: string, status: number, what: string): NetworkError {
  return new NetworkError('bad-answer', `${name} answered ${what}`, { status });
}

/** One request with its time limit, which also covers reading the body. */
async function send(
  settings: Settings & { name: string },
  route: Route,
  url: string,
  args: LooseArguments,
): Promise<{ answer: FetchAnswer; text: string }> {
  const { signal } = args;
  signal?.throwIfAborted();
  const headers: Record<string, string> = { accept: 'application/json' };
  if (settings.token !== undefined) headers['authorization'] = `Bearer ${settings.token}`;
  if (args.body !== undefined) headers['content-type'] = 'application/json';

  // Not AbortSignal.any: on Node 20 it keeps every call's signal alive as long as a long-lived `signal` lives.
  const controller = new AbortController();
  const timeoutMs = args.timeoutMs ?? settings.timeoutMs;
  let timedOut = false;
  const cancelTimer = settings.startTimer(() => {
    timedOut = true;
    controller.abort();
  }, timeoutMs);
  const giveUp = (): void => controller.abort();
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    const answer = await settings.fetch(url, {
      method: route.method,
      headers,
      ...(args.body === undefined ? {} : { body: JSON.stringify(args.body) }),
      signal: controller.signal,
      credentials: 'same-origin',
      redirect: 'manual',
    });
    return { answer, text: await answer.text() };
  } catch (error) {
    signal?.throwIfAborted();
    if (timedOut) {
      throw new NetworkError('timeout', `${settings.name} did not answer within ${timeoutMs} ms`, { cause: error });
    }
    throw new NetworkError('unreachable', `${settings.name} cannot be reached: ${deepestMessage(error)}`, {
      cause: error,
    });
  } finally {
    cancelTimer();
    signal?.removeEventListener('abort', giveUp);
  }
}

/** Node's fetch says only "fetch failed"; the reason (ECONNREFUSED …) is in its cause. */
function deepestMessage(error: unknown): string {
  let deepest = error;
  for (let depth = 0; depth < 5 && deepest instanceof Error && deepest.cause instanceof Error; depth++) {
    deepest = deepest.cause;
  }
  if (!(deepest instanceof Error)) return String(deepest);
  const code: unknown = Reflect.get(deepest, 'code');
  return deepest.message || (typeof code === 'string' ? code : deepest.name);
}

/** An empty body is read as `{}`, what routes without an answer return. */
function parseJson(text: string): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function startRealTimer(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}
