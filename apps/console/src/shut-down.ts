import type { FastifyInstance } from 'fastify';
import type { ConsoleContext } from './actions/context.ts';
import { writeBehind } from './actions/write-behind.ts';
import type { Ticker } from './jobs/ticker.ts';
import type { StopPart } from './stopping.ts';

/** What a console that is alone consists of when it stops. */
export interface Running {
  readonly context: ConsoleContext;
  readonly ticker: Ticker;
  readonly app: FastifyInstance;
  /** How long requests that are being answered may take, in ms. */
  readonly drainMs: number;
}

/** Ends long polls, timers, connections and the database, in that order. */
export async function shutDown({ context, ticker, app, drainMs }: Running, part: StopPart): Promise<void> {
  context.desk.close();
  context.webhookSender.close();
  // Asked beside the rest: whatever waits for a database that does not answer, this says so.
  const asked = part('an answer of the database', () => context.storage.settings.state('stopping'));
  asked.catch(() => undefined);
  await part('background work', () => ticker.stop());
  const cut = context.clock.after(drainMs, () => app.server.closeAllConnections());
  await part('requests that are being answered', () => app.close());
  cut.cancel();
  await part('the servers of quotas', async () => {
    await context.quotaAudits.close();
    await context.quotas.close();
  });
  await part('the last heartbeats to be written', () => writeBehind(context)).catch((error: unknown) => {
    const message = 'the last heartbeats could not be written; they cost a gap in the history';
    context.log.error({ error: String(error) }, message);
  });
  await part('what is being written', () => context.pending.done());
  await context.loginLimiter.close();
  await part('the database to close', () => context.storage.close());
}
