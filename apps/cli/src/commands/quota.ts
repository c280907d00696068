import { openQuotas, QuotaError, type Quota, type Quotas } from '@weir/quota';
import { MemcachedStore } from '@weir/quota-memcached';
import { RedisStore } from '@weir/quota-redis';
import { CommandError, EXIT_CODES } from '../output/command-error.ts';
import { formatCount, formatDuration } from '../output/figures.ts';
import type { Terminal } from '../output/terminal.ts';
import type { QuotaFlags, QuotaVerb } from './quota-options.ts';
import { cannotConnect, connectMemcached, connectRedisStore, parseServerUrl, redacted } from './quota-servers.ts';

/** Longest that a command waits for the store, in ms. */
const BUDGET_MS = 5_000;

/** `weir quota take|peek|reset URL`: one call to a quota that the flags define. */
export async function quotaCommand(
  verb: Exclude<QuotaVerb, 'list'>,
  url: string,
  flags: QuotaFlags,
  terminal: Terminal,
): Promise<number> {
  const opened = await openQuotasAt(url);
  try {
    return await VERBS[verb](defined(opened.quotas, flags), flags, terminal);
  } catch (error) {
    throw explained(error, redacted(url));
  } finally {
    await opened.close();
  }
}

type Verb = (quota: Quota, flags: QuotaFlags, terminal: Terminal) => Promise<number>;

const VERBS: Readonly<Record<Exclude<QuotaVerb, 'list'>, Verb>> = { take, peek, reset };

async function openQuotasAt(text: string): Promise<{ quotas: Quotas; close(): Promise<void> }> {
  const target = parseServerUrl(text);
  if (target.kind === 'memcached') {
    const client = await connectMemcached(target.servers);
    const quotas = openQuotas({ store: new MemcachedStore(client), healthEveryMs: 0 });
    return { quotas, close: () => quotas.close().finally(() => client.close()) };
  }
  const connection = await connectRedisStore(target.url);
  const quotas = openQuotas({ store: new RedisStore({ client: connection.client }), healthEveryMs: 0 });
  return { quotas, close: () => quotas.close().finally(() => connection.destroy()) };
}

function defined(quotas: Quotas, flags: QuotaFlags): Quota {
  return quotas.define({
    id: flags.quota,
    // A reset needs none.
    limit: flags.limit ?? 0,
    period: flags.per,
    budgetMs: BUDGET_MS,
    ...(flags.zone === undefined ? {} : { zone: flags.zone }),
  });
}

async function take(quota: Quota, flags: QuotaFlags, terminal: Terminal): Promise<number> {
  const options = flags.key === undefined ? {} : { idempotencyKey: flags.key };
  const decision = await quota.take(flags.subject, flags.cost, options);
  if (decision.source.startsWith('outage')) {
    throw new QuotaError('store-unavailable', 'the store did not answer in time');
  }
  const { allowed, used, remaining, limit, resetAt, retryAfterMs, source, charged } = decision;
  if (flags.json) {
    const place = { quota: flags.quota, subject: flags.subject };
    terminal.out(
      `${JSON.stringify({ ...place, allowed, used, remaining, limit, resetAt, retryAfterMs, source, charged })}\n`,
    );
  } else {
    const retry = allowed ? '' : `, try again in ${formatDuration(retryAfterMs)}`;
    terminal.out(`${allowed ? 'allowed' : 'refused'}: ${usage({ used, limit, resetAt })}${retry}\n`);
  }
  return allowed ? EXIT_CODES.ok : EXIT_CODES.findings;
}

async function peek(quota: Quota, flags: QuotaFlags, terminal: Terminal): Promise<number> {
  const seen = await quota.peek(flags.subject);
  terminal.out(flags.json ? `${JSON.stringify(seen)}\n` : `${usage(seen)}, ${formatCount(seen.remaining)} left\n`);
  return EXIT_CODES.ok;
}

async function reset(quota: Quota, flags: QuotaFlags, terminal: Terminal): Promise<number> {
  await quota.reset(flags.subject);
  const done = { quota: flags.quota, subject: flags.subject, reset: true };
  terminal.out(flags.json ? `${JSON.stringify(done)}\n` : `The counter of ${flags.subject} is back at zero.\n`);
  return EXIT_CODES.ok;
}

function usage({ used, limit, resetAt }: { used: number; limit: number; resetAt: number }): string {
  return `${formatCount(used)} of ${formatCount(limit)} used, until ${new Date(resetAt).toISOString()}`;
}

/** A failure in words for the person at the terminal. */
function explained(error: unknown, address: string): unknown {
  if (!(error instanceof QuotaError)) return error;
  if (error.code === 'store-unavailable' || error.code === 'store-timeout') return cannotConnect(address, error);
  return new CommandError(error.code, error.message, { cause: error });
}
