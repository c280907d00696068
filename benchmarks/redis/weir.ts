import { openQuotas, type QuotaDefinition } from '@weir/quota';
import { RedisStore } from '@weir/quota-redis';
import { connect, type ClientChoice } from './clients.ts';
import { limiterOf, type OpenLimiter, type Rule } from './limiter.ts';

/** How Weir is told to count. */
export interface WeirOptions {
  readonly fastPath?: boolean;
  readonly lease?: number;
}

/** The shortest margin that a counter can be given, so that "two periods later" is soon in these measurements. */
const MARGIN_MS = 1_000;

function definition({ limit, periodSeconds, mark }: Rule, { lease }: WeirOptions): QuotaDefinition {
  const period = { unit: 'second', count: periodSeconds } as const;
  return { id: mark, limit, period, marginMs: MARGIN_MS, ...(lease === undefined ? {} : { lease }) };
}

/** Weir over a client; everything that is not in the options is as by default. */
export function weir(choice: ClientChoice, options: WeirOptions = {}): OpenLimiter {
  return async (url, rule) => {
    const client = await connect(url, choice);
    const quotas = openQuotas({ store: new RedisStore({ client, fastPath: options.fastPath ?? false }) });
    await quotas.ready();
    const quota = quotas.define(definition(rule, options));
    return limiterOf(
      // With blocks, as it is meant to be called: a promise only when a block must be drawn.
      options.lease === undefined
        ? (subject) => quota.take(subject)
        : (subject) => quota.takeNow(subject) ?? quota.take(subject),
      (decision) => decision.allowed,
      async () => {
        await quotas.close();
        await client.quit();
      },
    );
  };
}
