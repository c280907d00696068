import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { MAX_BODY_BYTES } from '@weir/protocol';
import type { Clock, Timer } from '../ports/clock.ts';
import { peerHeaders } from './peer-header.ts';

/** How long a connection to the leader may take to be made, in ms. */
const CONNECT_MS = 1_000;
/** An idle connection is closed after this, in ms: before the leader closes it, which would lose a request on its way. */
const IDLE_MS = 30_000;
const MAX_IDLE = 256;
/**
 * How long the leader may take to begin its answer to a request that it has got, in ms: an agent that waits for work is answered
 * after 25 s at the latest, and clients give up after 30 s.
 */
export const ANSWER_MS = 28_000;

/** Headers about one connection, not about the request. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/** Where a body ends, and for whom the request is: no client may have them taken out of it by naming them in `connection`. */
const NEVER_NAMED = new Set(['content-length', 'host']);

/** Why a request that was to be passed on has no answer of the leader. */
export interface Unanswered {
  /** `timed-out`: the leader has it, and may carry it out; `too-large`: its body is longer than any console reads. */
  readonly kind: 'failed' | 'timed-out' | 'too-large';
  readonly reason: string;
}

interface Forwarded {
  readonly origin: string;
  fail(reason: string, kind?: Unanswered['kind']): void;
}

/** Passes requests on to the console that leads, and its answers back, as they come: nothing is kept. */
export class Forwarder {
  readonly #key: Buffer;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #http = new HttpAgent({ keepAlive: true, maxFreeSockets: MAX_IDLE, timeout: IDLE_MS });
  readonly #https = new HttpsAgent({ keepAlive: true, maxFreeSockets: MAX_IDLE, timeout: IDLE_MS });
  readonly #underWay = new Set<Forwarded>();

  /** @param key of the signatures by which the consoles of the group know each other */
  constructor(key: Buffer, clock: Pick<Clock, 'after'>) {
    this.#key = key;
    this.#clock = clock;
  }

  /** Requests that wait for the leader, or for its whole answer. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /**
   * Forwards one request. Its `x-forwarded-*` headers were removed before.
   * @param leaderUrl without a trailing slash
   * @param failed told why, when no answer came and none was begun
   */
  forward(
    request: IncomingMessage,
    response: ServerResponse,
    leaderUrl: string,
    failed: (unanswered: Unanswered) => void,
  ): void {
    const target = new URL(leaderUrl);
    const sent = this.#send(request, target);
    let settled = false;
    const settle = (): void => {
      settled = true;
      timer.cancel();
      this.#underWay.delete(forwarded);
    };
    const forwarded: Forwarded = {
      origin: target.origin,
      fail: (reason, kind = 'failed') => {
        if (settled) return;
        settle();
        dropRest(request, sent);
        if (response.headersSent) response.destroy();
        else failed({ kind, reason });
      },
    };
    let timer = this.#limitAnswer(forwarded);
    request.once('end', () => {
      timer.cancel();
      if (!settled && !response.headersSent) timer = this.#limitAnswer(forwarded);
    });
    this.#underWay.add(forwarded);
    sent.on('error', (error) => forwarded.fail(error.message));
    sent.on('response', (answer) => {
      if (settled) return;
      timer.cancel();
      // Not before the status is known: what comes of it then is the leader's answer, or a broken one.
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.headers));
      answer.on('error', (error) => forwarded.fail(error.message));
      answer.on('close', () => {
        if (!answer.complete) forwarded.fail('the leader broke its answer off');
      });
      answer.pipe(response);
    });
    response.on('close', () => {
      if (settled) return;
      settle();
      // The client went away, or has its whole answer while the rest of its request is not read by the leader.
      if (!response.writableFinished || !request.complete) dropRest(request, sent);
    });
    // A request that is broken off is broken off at the leader too.
    request.on('error', () => sent.destroy());
    if (request.headers['content-length'] === undefined) limitBody(request, forwarded);
    request.pipe(sent);
  }

  /** Ends what waits for another leader than this one; null: all. */
  abandonAllBut(leaderUrl: string | null, why: string): void {
    const origin = leaderUrl === null ? null : new URL(leaderUrl).origin;
    for (const forwarded of this.#underWay) if (forwarded.origin !== origin) forwarded.fail(why);
  }

  /** Ends everything. */
  close(): void {
    this.abandonAllBut(null, 'this console is stopping');
    this.#http.destroy();
    this.#https.destroy();
  }

  #limitAnswer(forwarded: Forwarded): Timer {
    return this.#clock.after(ANSWER_MS, () => forwarded.fail(`no answer within ${ANSWER_MS / 1_000} s`, 'timed-out'));
  }

  #send(request: IncomingMessage, target: URL): ClientRequest {
    const { method = 'GET', url: path = '/' } = request;
    // The door has left in it what a trusted proxy says, and nothing else.
    const { 'x-forwarded-for': behindProxy } = request.headers;
    const clientAddress = typeof behindProxy === 'string' ? behindProxy : (request.socket.remoteAddress ?? '');
    const headers: OutgoingHttpHeaders = {
      ...endToEnd(request.headers),
      ...bodyLength(request),
      'x-forwarded-for': clientAddress,
      ...peerHeaders(this.#key, { method, path, clientAddress }),
    };
    const tls = target.protocol === 'https:';
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const sent = (tls ? httpsRequest : httpRequest)({
      host,
      port: target.port === '' ? (tls ? 443 : 80) : target.port,
      // The certificate is the leader's, whatever name the client used.
      ...(tls && isIP(host) === 0 ? { servername: host } : {}),
      method,
      path,
      headers,
      agent: tls ? this.#https : this.#http,
    });
    sent.on('socket', (socket) => limitConnecting(socket, sent, tls));
    return sent;
  }
}

/** What is left of a request is read and dropped: the next one over the same connection would wait behind it. */
function dropRest(request: IncomingMessage, sent: ClientRequest): void {
  request.unpipe(sent);
  request.resume();
  sent.destroy();
}

/**
 * Ends a request whose length is not told, and turns out to be more than any console reads: the leader would close the connection,
 * and its answer could be lost while the body is still being passed on.
 */
function limitBody(request: IncomingMessage, forwarded: Forwarded): void {
  let bytes = 0;
  const count = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes <= MAX_BODY_BYTES) return;
    request.off('data', count);
    forwarded.fail('its body is too large', 'too-large');
  };
  request.on('data', count);
}

function limitConnecting(socket: Socket, sent: ClientRequest, tls: boolean): void {
  if (!socket.connecting) return;
  const timer = setTimeout(() => sent.destroy(new Error('the leader cannot be reached')), CONNECT_MS);
  const done = (): void => clearTimeout(timer);
  socket.once(tls ? 'secureConnect' : 'connect', done);
  socket.once('close', done);
}

/** A body without a length stays one, and a request without a body stays without. */
function bodyLength({ method, headers }: IncomingMessage): OutgoingHttpHeaders {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' };
  return headers['content-length'] === undefined && method !== 'GET' && method !== 'HEAD'
    ? { 'content-length': 0 }
    : {};
}

/**
 * Headers without those of the connection that they came over. A body whose length was taken away would be read by the leader as
 * further requests, and their answers given to whoever uses the connection next.
 */
function endToEnd(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  for (const name of NEVER_NAMED) named.delete(name);
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => value !== undefined && !HOP_BY_HOP.has(name) && !named.has(name)),
  );
}
