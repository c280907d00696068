import type { FastifyInstance } from 'fastify';
import type { ConsoleContext } from './actions/context.ts';
import { writeBehind } from './actions/write-behind.ts';
import type { Ticker } from './jobs/ticker.ts';
import type { Term } from './leadership/seat-options.ts';
import type { TermStorage } from './ports/group-storage.ts';

/** What a term is made of. */
interface Parts {
  readonly context: ConsoleContext;
  readonly storage: TermStorage;
  readonly ticker: Ticker;
  readonly app: FastifyInstance;
  /** Resolves when no request is being answered any more, after a bounded time. */
  readonly drained: () => Promise<void>;
  /** Called when nothing of the term is left. */
  readonly ended: () => void;
}

/** Everything that a console is while it leads its group. */
export class LeaderTerm implements Term {
  readonly context: ConsoleContext;
  readonly app: FastifyInstance;
  readonly #parts: Parts;
  #closing = false;
  #abandoned: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.context = parts.context;
    this.app = parts.app;
    this.#parts = parts;
  }

  /** Whether it begins nothing new. */
  get closing(): boolean {
    return this.#closing;
  }

  async finish(): Promise<void> {
    this.#closing = true;
    const { context, ticker, drained } = this.#parts;
    context.desk.close();
    context.webhookSender.close();
    await ticker.stop();
    await drained();
    await this.#closeQuotas();
    await writeBehind(context).catch((error: unknown) => {
      const message = 'the last heartbeats could not be written; they cost a gap in the history';
      context.log.error({ error: String(error) }, message);
    });
    await this.#end();
  }

  async abandon(): Promise<void> {
    this.#abandoned ??= this.#abandon();
    return this.#abandoned;
  }

  async #abandon(): Promise<void> {
    this.#closing = true;
    const { context, storage, ticker } = this.#parts;
    storage.seal();
    context.desk.close();
    context.webhookSender.close();
    await ticker.stop();
    await this.#closeQuotas();
    await this.#end();
  }

  async #closeQuotas(): Promise<void> {
    const { context } = this.#parts;
    const ends = await Promise.allSettled([context.quotaAudits.close(), context.quotas.close()]);
    for (const end of ends) {
      if (end.status === 'rejected') context.log.debug({ error: String(end.reason) }, 'a part of the term ended badly');
    }
  }

  async #end(): Promise<void> {
    await this.#parts.context.pending.done();
    await this.#parts.context.loginLimiter.close();
    await this.#parts.app.close();
    await this.#parts.storage.close();
    this.#parts.ended();
  }
}
