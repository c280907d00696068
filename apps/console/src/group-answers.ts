import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { ConsoleError } from './actions/console-error.ts';
import type { Clock } from './ports/clock.ts';
import { leaderTimeout, noLeader, tooLarge } from './http/error-replies.ts';
import { Forwarder } from './http/forwarder.ts';
import { takePeerHeaders } from './http/peer-header.ts';
import { isForLeader, isTooLarge } from './http/standby-server.ts';
import type { Difference } from './leadership/differences.ts';
import type { Leader } from './ports/lease-store.ts';
import type { Logger } from './ports/logger.ts';

/** What is known of the group when a request comes. */
interface Seen {
  /** What answers while this console leads; null: it does not. */
  readonly app: Pick<FastifyInstance, 'routing'> | null;
  readonly leader: Leader | null;
  readonly difference: Difference | null;
}

/** What the answers of a console of a group need. */
export interface GroupAnswersParts {
  /** Of the signatures by which the consoles know each other. */
  readonly peerKey: Buffer;
  readonly clock: Pick<Clock, 'after'>;
  readonly logger: Logger;
  /** The client's address as trusted proxies tell it. */
  readonly clientOf: (request: IncomingMessage) => string | undefined;
  readonly seen: () => Seen;
  /** What answers of a standby by itself, refusals included. */
  readonly standby: () => Pick<FastifyInstance, 'routing'>;
}

/** Gives every request to whoever answers it: this console while it leads, the leader, or the standby's own server. */
export class GroupAnswers {
  readonly #parts: GroupAnswersParts;
  readonly #forwarder: Forwarder;
  /** What to say of requests that nobody of the group answers. */
  readonly #refusals = new WeakMap<IncomingMessage, ConsoleError>();
  #warnedOfUnanswered: string | undefined;
  #stopping = false;

  constructor(parts: GroupAnswersParts) {
    this.#parts = parts;
    this.#forwarder = new Forwarder(parts.peerKey, parts.clock);
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const { peerKey, clientOf, seen } = this.#parts;
    const { method = '', url: path = '', headers } = request;
    const behindProxy = clientOf(request);
    const client = takePeerHeaders(peerKey, { method, path, headers });
    const named = client ?? behindProxy;
    if (named !== undefined) headers['x-forwarded-for'] = named;
    const { app, leader } = seen();
    if (app !== null) return app.routing(request, response);
    if (!isForLeader(path)) return this.#parts.standby().routing(request, response);
    const refusal = this.#whyNotPassedOn(request, client !== undefined);
    if (leader === null || refusal !== undefined) return this.#refuse(request, response, refusal ?? noLeader(NOBODY));
    this.#forwarder.forward(request, response, leader.url, ({ kind, reason }) => {
      if (kind === 'too-large') return this.#refuse(request, response, tooLarge());
      this.#noteUnanswered(leader, reason);
      const message = `The console that leads does not answer (${reason}): `;
      const timedOut = leaderTimeout(`${message}what was asked may have been done, look before you repeat it.`);
      this.#refuse(request, response, kind === 'timed-out' ? timedOut : noLeader(`${message}try again.`));
    });
  }

  /** What to say of a request for the leader that the standby's own server got. */
  refusalOf(request: IncomingMessage): ConsoleError {
    return this.#refusals.get(request) ?? noLeader(NOBODY);
  }

  /** Why nobody should be sent to this console: it has nothing in common with the one that leads; null: it is fit to be asked. */
  unfit(): ConsoleError | null {
    const { difference } = this.#parts.seen();
    if (difference === null || difference.kind === 'version') return null;
    const other = difference.kind === 'database' ? 'another database' : 'other secrets';
    return noLeader(
      `This console has ${other} than the one that leads: its log says what to do. Use another console meanwhile.`,
    );
  }

  /** Ends what waits for a leader that was followed, or that turned out to have nothing in common with this console. */
  leaderChanged(leader: Leader | null): void {
    const leaderUrl = this.unfit() === null ? (leader?.url ?? null) : null;
    this.#forwarder.abandonAllBut(leaderUrl, 'another console leads now');
  }

  /** From now on it is no wonder that the leader does not answer. */
  stopping(): void {
    this.#stopping = true;
  }

  /** Ends what waits for the leader. */
  abandon(): void {
    this.#forwarder.abandonAllBut(null, 'this console is stopping');
  }

  /** Ends everything. */
  close(): void {
    this.#forwarder.close();
  }

  /** Why a request for the leader goes no further; undefined: it is passed on. @param passedOn whether a console of the group sent it */
  #whyNotPassedOn(request: IncomingMessage, passedOn: boolean): ConsoleError | undefined {
    if (isTooLarge(request)) return tooLarge();
    if (passedOn) return noLeader(TAKEN_FOR_LEADER);
    const { leader, difference } = this.#parts.seen();
    if (leader === null && difference?.kind === 'version') return noLeader(OUTDATED);
    return this.unfit() ?? undefined;
  }

  /** Once a term and reason, as long as that console still leads: only then is something wrong between the two. */
  #noteUnanswered({ url: leaderUrl, fence }: Leader, reason: string): void {
    const failure = `${leaderUrl} ${reason}`;
    const { leader } = this.#parts.seen();
    if (this.#stopping || leader?.url !== leaderUrl || this.#warnedOfUnanswered === failure) return;
    this.#warnedOfUnanswered = failure;
    const message =
      'a request could not be passed on to the console that leads: see whether its advertised address is right';
    this.#parts.logger.warn({ leaderUrl, fence, reason }, message);
  }

  #refuse(request: IncomingMessage, response: ServerResponse, refusal: ConsoleError): void {
    this.#refusals.set(request, refusal);
    this.#parts.standby().routing(request, response);
  }
}

const NOBODY = 'No console leads the group now: try again in a moment.';
const OUTDATED =
  'A newer console has changed the database, and none leads now: start a newer one, or upgrade this one.';
const TAKEN_FOR_LEADER =
  'Another console of the group takes this one for the one that leads: try again in a moment. If it stays so, the address that the leader advertises is not its own.';
