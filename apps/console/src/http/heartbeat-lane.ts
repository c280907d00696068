/*
 * Heartbeats, which are nearly all requests of a large fleet, without the framework: its hooks, objects and streams were half
 * the CPU of each. The lane takes what is ordinary, and does with it what the route does, by the same functions:
 *
 *   request ── not a heartbeat, not JSON of a known length, no known credential, stopping ──▶ the framework, untouched
 *      │ credential known, call counted, body read
 *      ├── body that is not valid, or unusual ──▶ the framework, with the caller and the body
 *      ├── a refusal or a failure ──▶ the framework, with the error
 *      └── answer
 *
 * So every refusal has one author, and what the lane does not know costs a little more, and is never less checked.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { heartbeatRequest, routes, type HeartbeatRequest, type HeartbeatResponse } from '@weir/protocol';
import type { FastifyBaseLogger } from 'fastify';
import type { ConsoleContext } from '../actions/context.ts';
import { answerHeartbeat } from '../actions/record-heartbeat.ts';
import type { LiveAgent } from '../fleet/live-agent.ts';
import { quickCheck } from '../validation/quick-check.ts';
import { admitAgent, agentWith } from './authentication.ts';
import type { Caller } from './call.ts';
import { staleAnswer } from './error-replies.ts';
import { heartbeatText } from './heartbeat-text.ts';
import type { ConsoleMetrics } from './metrics.ts';
import { securityHeaders, UNCACHED } from './security-headers.ts';

const { method: METHOD, path: PATH } = routes.heartbeat;
const JSON_TYPE = 'application/json; charset=utf-8';
/** Far more than a report takes; whatever is longer is unusual. */
const LONGEST_BYTES = 16_384;
const isReport = quickCheck(heartbeatRequest);

/** What the lane found out about a request before it gave it to the framework. */
type Handed = { error: unknown } | { caller: Caller; body: Buffer };

/** What the lane needs besides the context. */
export interface LaneOptions {
  metrics: ConsoleMetrics;
  logger: FastifyBaseLogger;
  /** Whether pages and agents come over TLS. */
  https: boolean;
  /** Whether the console begins nothing new. */
  closing: () => boolean;
  /** Whether this console may still answer when it has worked out what; alone it always may. */
  leads: () => boolean;
  /** The framework's way of answering. */
  framework: (request: IncomingMessage, response: ServerResponse) => void;
}

/** The way of ordinary heartbeats past the framework. */
export class HeartbeatLane {
  readonly #context: ConsoleContext;
  readonly #options: LaneOptions;
  readonly #headers: readonly string[];
  readonly #handed = new WeakMap<IncomingMessage, Handed>();

  constructor(context: ConsoleContext, options: LaneOptions) {
    this.#context = context;
    this.#options = options;
    const headers = { ...securityHeaders(options.https), 'cache-control': UNCACHED, 'content-type': JSON_TYPE };
    this.#headers = Object.entries(headers).flat();
  }

  /** Answers a request, or has the framework answer it. */
  readonly answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (!this.#takes(request, response)) this.#options.framework(request, response);
  };

  /** The caller of a request that the lane has given to the framework; undefined: it has not looked. @throws what it met */
  callerOf(request: IncomingMessage): Caller | undefined {
    const handed = this.#handed.get(request);
    if (handed === undefined) return undefined;
    if ('error' in handed) throw handed.error;
    return handed.caller;
  }

  /** The body of such a request, to be read by the framework; undefined: the lane has not read it. */
  bodyOf(request: IncomingMessage): Readable | undefined {
    const handed = this.#handed.get(request);
    return handed !== undefined && 'body' in handed ? Readable.from(handed.body, { objectMode: false }) : undefined;
  }

  #takes(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.url !== PATH || request.method !== METHOD || this.#options.closing() || !isPlain(request)) return false;
    const agent = agentWith(this.#context, request);
    if (agent === undefined) return false;
    const sinceMs = performance.now();
    try {
      // Before the body is read, as everywhere.
      admitAgent(this.#context, agent);
    } catch (error) {
      this.#hand(request, response, { error });
      return true;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => this.#read(request, response, { agent, body: whole(chunks), sinceMs }));
    return true;
  }

  /** The body is there. */
  #read(
    request: IncomingMessage,
    response: ServerResponse,
    { agent, body, sinceMs }: { agent: LiveAgent; body: Buffer; sinceMs: number },
  ): void {
    const said = reportIn(body);
    if (said === undefined) return this.#hand(request, response, { caller: { kind: 'agent', agent }, body });
    const fail = (error: unknown): void => this.#hand(request, response, { error });
    const send = (answer: HeartbeatResponse): void => {
      if (!this.#options.leads()) return fail(staleAnswer());
      const text = heartbeatText(answer);
      response.writeHead(200, [...this.#headers, 'content-length', String(text.length)]);
      response.end(text, 'latin1');
      this.#note(agent, performance.now() - sinceMs);
    };
    let answer: HeartbeatResponse | Promise<HeartbeatResponse>;
    try {
      answer = answerHeartbeat(this.#context, agent, said);
    } catch (error) {
      return fail(error);
    }
    if (answer instanceof Promise) answer.then(send, fail);
    else send(answer);
  }

  #note({ agentId }: LiveAgent, tookMs: number): void {
    const { metrics, logger } = this.#options;
    metrics.answered(PATH, 200, tookMs);
    logger.debug({ method: METHOD, url: PATH, agentId, status: 200, ms: Math.round(tookMs) }, 'answered');
  }

  #hand(request: IncomingMessage, response: ServerResponse, handed: Handed): void {
    this.#handed.set(request, handed);
    this.#options.framework(request, response);
  }
}

/** Whether a request has a short body of JSON whose length is known. */
function isPlain({ headers }: IncomingMessage): boolean {
  if (headers['content-type'] !== 'application/json' || headers['transfer-encoding'] !== undefined) return false;
  const length = Number(headers['content-length']);
  return length > 0 && length <= LONGEST_BYTES;
}

function whole(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/**
 * The report in a body; undefined when it is not valid, or unusual: with a field that the schema does not know, be it dropped
 * there or, as those that reach a prototype, refused by the framework's parser.
 */
function reportIn(body: Buffer): HeartbeatRequest | undefined {
  try {
    const said: unknown = JSON.parse(body.toString());
    return isReport(said) ? said : undefined;
  } catch {
    return undefined;
  }
}
