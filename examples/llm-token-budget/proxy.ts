import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Quota, Quotas } from '@weir/quota';
import { answerTo, PROBLEM_CONTENT_TYPE } from '@weir/quota-http';
import { askOf } from './ask.ts';
import type { Ask } from './ask.ts';
import { UsageMeter } from './usage-meter.ts';

/** What the proxy needs from outside. */
export interface ProxyOptions {
  readonly quotas: Quotas;
  /** Where the model is. */
  readonly upstreamUrl: string;
  /** Tokens that a team may use in a day. */
  readonly dailyTokens: (team: string) => number;
  /** How long a call may take before its reservation comes free, in ms; longer than the longest answer. */
  readonly reservationMs: number;
}

/**
 * `POST /v1/completions` of a team (`X-Team`, set by the gateway in front, which knows who calls) costs what the model reports,
 * which nobody knows before it has answered. So the most that it can cost is reserved, and settled when the stream ends:
 *
 *     reserve ── refused ──> 429, the model is not asked
 *        │
 *     stream ── ends, or the caller hangs up ──> settle what was used, the rest goes back
 *        │
 *     this process dies ──> the lease ends and the reservation goes back by itself
 */
export function createProxy(options: ProxyOptions): Server {
  const tokens = options.quotas.define({
    id: 'tokens',
    limit: options.dailyTokens,
    period: 'day',
    reservationMs: options.reservationMs,
    // A refusal must not outlast a settlement elsewhere.
    denyRecheckMs: 0,
  });
  return createServer((request, response) => {
    route(request, response, tokens, options.upstreamUrl).catch((error: unknown) => {
      console.error(error);
      if (response.headersSent) response.destroy();
      else answer(response, 500, { error: 'internal' });
    });
  });
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  tokens: Quota,
  upstreamUrl: string,
): Promise<void> {
  const team = request.headers['x-team'];
  if (typeof team !== 'string' || team === '') return answer(response, 401, { error: 'X-Team is missing' });
  const path = `${request.method} ${request.url}`;
  if (path === 'GET /v1/usage') return answer(response, 200, await tokens.peek(team));
  if (path !== 'POST /v1/completions') return answer(response, 404, { error: 'there is no such thing' });
  const ask = askOf(await text(request));
  if (ask === undefined) return answer(response, 400, { error: 'send { prompt, max_tokens }' });
  return complete(ask, team, response, tokens, upstreamUrl);
}

async function complete(
  ask: Ask,
  team: string,
  response: ServerResponse,
  tokens: Quota,
  upstreamUrl: string,
): Promise<void> {
  const reservation = await tokens.reserve(team, mostTokens(ask));
  const { headers, problem } = answerTo({ quota: tokens }, reservation.decision);
  if (problem !== undefined) {
    response.writeHead(problem.status, { ...headers, 'Content-Type': PROBLEM_CONTENT_TYPE });
    response.end(JSON.stringify(problem));
    return;
  }
  const hungUp = new AbortController();
  response.once('close', () => hungUp.abort());
  const meter = new UsageMeter();
  let settled;
  try {
    const body = await askUpstream(upstreamUrl, ask, hungUp.signal);
    if (body !== undefined) {
      response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream' });
      for await (const chunk of body) {
        meter.read(chunk);
        if (!response.write(chunk)) await once(response, 'drain', { signal: hungUp.signal });
      }
    }
  } catch (error) {
    // The caller hung up, or the model broke off. What it said until then was used.
    if (!hungUp.signal.aborted) console.error(error);
  } finally {
    settled = await tokens.settle(reservation, meter.tokens);
  }
  if (response.headersSent) {
    response.end(`event: budget\ndata: ${JSON.stringify({ charged: meter.tokens, ...settled })}\n\n`);
  } else if (!response.destroyed) {
    answer(response, 502, { error: 'the model did not answer' });
  }
}

/** The stream of an answer; `undefined` when the model refuses to give one. */
async function askUpstream(url: string, ask: Ask, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(ask), signal });
  if (response.ok && response.body !== null) return response.body;
  await response.body?.cancel();
  return undefined;
}

/** The most that a call can cost. A token has at least one character, so this is never too little. */
function mostTokens({ prompt, max_tokens: most }: Ask): number {
  return prompt.length + most;
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}
